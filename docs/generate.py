#!/usr/bin/env python
"""Writes the reference pages that are made from the code. `--check` names those that are stale."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from consensus.config.load import BUNDLED
from consensus.config.shape import Node, kind, limits, named, policy_schema, resolved
from consensus.domain.decision import ReasonCode
from consensus.service.status import TABLE
from consensus.telemetry.audit import EVENTS
from consensus.telemetry.metrics import METRICS

ROOT = Path(__file__).resolve().parents[1]

_POLICY_INTRO = """\
# The policy file

A policy is an ordered list of stages, cheap to strong, each with checks or a panel and a gate. One
file holds every policy of a server, and the judges and model servers that they name. This page is
made from the code by `docs/generate.py`; editors can read [policy.schema.json](policy.schema.json).

- `consensus check FILE` tells everything that is wrong with a file, each with its line: first
  keys and values that cannot be, then, without these, what does not go together. Unknown keys are
  refused.
- A server reloads a file that has changed, all of it or nothing. A policy's *revision* is a digest
  of what it says: comments, the order of keys and judges that it does not name leave it alone.
- Bounds are inclusive unless they say *above* or *below*. Seconds, weights and scores may have
  fractions.

Without a file a server uses this one:
"""


def policy_schema_page() -> str:
    """Return docs/policy.schema.json."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **policy_schema(),
        "title": "Policy file of the consensus service",
    }
    return json.dumps(schema, indent=2) + "\n"


def policy_page() -> str:
    """Return docs/policy.md."""
    example = f"```yaml\n{BUNDLED.read_text('utf-8')}```\n"
    return "\n".join([_POLICY_INTRO, example, *_sections("The file", policy_schema(), set())])


def _sections(heading: str, section: Node, told: set[str]) -> Iterator[str]:
    """Yield a table for the section, then for what it holds, in the order of its keys and once."""
    if heading in told:
        return
    told.add(heading)
    yield _section(heading, section)
    for node in section["properties"].values():
        value = resolved(node)
        value = _items(value) or value
        if "properties" in value:
            yield from _sections(_heading(value), value, told)


def _section(heading: str, section: Node) -> str:
    required = section.get("required", ())
    rows = [
        f"| `{key}` | {_type(node)} | {_default(node, key in required)} | {limits(resolved(node))}"
        f" | {node.get('description', '')} |"
        for key, node in section["properties"].items()
    ]
    head = ["| key | type | default | allowed | meaning |", "|---|---|---|---|---|"]
    return "\n".join([f"## {heading}", "", section["description"], "", *head, *rows, ""])


def _type(node: Node) -> str:
    value = resolved(node)
    if inner := _items(value):
        return f"{kind(value)} of {_name(inner)}"
    return _name(value)


def _name(value: Node) -> str:
    if "properties" in value:
        heading = _heading(value).lower()
        link = f"[{heading}](#{heading})"
        return f"{kind(value)} or {link}" if "enum" in value else link
    return kind(value)


def _default(node: Node, required: bool) -> str:
    if required:
        return "**required**"
    default: Any = node.get("default")
    if default is None or default in ("", {}):
        return ""
    if isinstance(default, dict):
        return "its defaults"
    if isinstance(default, float):
        return f"`{default:g}`"
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def _items(value: Node) -> Node | None:
    """Return what a list or a mapping by name holds; None for anything else."""
    inner = value.get("items") or named(value)
    return None if inner is None else resolved(inner)


def _heading(section: Node) -> str:
    title: str = section["title"]
    return title.removesuffix("Section")


_ERRORS_INTRO = """\
# Errors

Judges that disagree, a missed quorum and a failed gate are answers with status OK, never errors. An
error means that there is no decision. Each carries one `google.rpc.ErrorInfo` with a stable reason
(also in the trailer `consensus-reason`), every value of its message in the metadata, and the detail
below where one is named. Items of a batch carry the same codes and reasons in `ItemError`.

| status | reason | detail | when | what to do |
|---|---|---|---|---|"""

_ERRORS_OTHERS = """\
| INTERNAL | `INTERNAL` | | a bug; the server's log has the place and the trace id | report it |
| RESOURCE_EXHAUSTED | | | gRPC itself refuses a message above the size limit | send less |
| UNIMPLEMENTED | | | the server has no such method | compare versions |

UNAVAILABLE comes with the trailer `grpc-retry-pushback-ms`, which gRPC's own retries obey. A retry
is safe with the same `request_id`.
"""

_REASONS_INTRO = """\
## Reasons of a decision

| reason | meaning |
|---|---|"""

_METRICS_INTRO = """\
# Metrics

Served at `http://HOST:PORT/metrics` (`--metrics`, default 127.0.0.1:9090), beside the process's
own memory, CPU and garbage collection. Labels are closed sets from the configuration and the code:
never ids, never text. Durations are in seconds.

| metric | type | labels | meaning |
|---|---|---|---|"""

_AUDIT_INTRO = """\
# The audit log

Off unless `consensus serve` has `--audit` (`CONSENSUS_SERVE_AUDIT=true`, in the chart
`server.audit`). Then every call of a judge is written to stderr as an execution below the decision
that asked for it, nested decisions included: one JSON object a line, logger `consensus.audit`, at
any log level. Beside what the table names each line has `timestamp`, `level`, `logger`, `message`
and `trace_id`. Ids, numbers and codes alone: nothing of what was judged or a judge has said.

An `execution_id` is the decision's id, the stage and the seat's place in the panel from 0, with `/`
between them, as in the `ChildExecution` of a stream's events. `depth` counts the decisions above,
`path` has their ids from the root on; the last is the parent. Times are in UTC (ISO 8601), scores
and confidences from 0 to 1. A field without a value is null.

| message | fields | meaning |
|---|---|---|"""


def errors_page() -> str:
    """Return docs/errors.md."""
    rows = [
        f"| {row.code.name} | `{error.REASON}` | {row.detail}"
        f" | {(error.__doc__ or '').split(chr(10))[0].rstrip('.')} | {error.REMEDY} |"
        for error, row in TABLE.items()
    ]
    reasons = [f"| `{code.name}` | {code.value} |" for code in ReasonCode]
    return "\n".join([_ERRORS_INTRO, *rows, _ERRORS_OTHERS, _REASONS_INTRO, *reasons, ""])


def metrics_page() -> str:
    """Return docs/metrics.md."""
    rows = [
        f"| `{metric.name}` | {metric.kind.__name__.lower()}"
        f" | {', '.join(f'`{label}`' for label in metric.labels)} | {metric.help} |"
        for metric in METRICS
    ]
    return "\n".join([_METRICS_INTRO, *rows, ""])


def audit_page() -> str:
    """Return docs/audit.md."""
    rows = [
        f"| `{event.name}` | {', '.join(f'`{field}`' for field in event.fields)} | {event.help} |"
        for event in EVENTS
    ]
    return "\n".join([_AUDIT_INTRO, *rows, ""])


PAGES: dict[str, Callable[[], str]] = {
    "docs/policy.schema.json": policy_schema_page,
    "docs/policy.md": policy_page,
    "docs/errors.md": errors_page,
    "docs/metrics.md": metrics_page,
    "docs/audit.md": audit_page,
}
"""Every page, and what makes it."""


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` tell which are stale; returns the exit code."""
    stale = []
    for name, make in PAGES.items():
        page, file = make(), ROOT / name
        if file.exists() and file.read_text("utf-8") == page:
            continue
        stale.append(name)
        if "--check" not in arguments:
            file.write_text(page, "utf-8")
            print(f"wrote {name}")
    if stale and "--check" in arguments:
        print(f"stale: {', '.join(stale)}; run python docs/generate.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
