"""Turns a policy file into a PolicySet, or into everything that is wrong with it, with lines."""

import difflib
from pathlib import Path as FilePath

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from consensus.config.build import PolicyBuilder
from consensus.config.model import PolicyFile
from consensus.config.positions import Path, PositionedYaml, dotted
from consensus.domain.errors import PolicyFault, PolicyFileError
from consensus.domain.policy import PolicySet
from consensus.domain.ports import CheckFaults

BUNDLED = FilePath(__file__).with_name("default_policy.yaml")
"""The policy of embedded judges that serves without any configuration."""


def load_policies(file: FilePath, check_faults: CheckFaults) -> PolicySet:
    """Read the policy file. Raises PolicyFileError with every fault, OSError words included."""
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        words = error.strerror or str(error)
        raise PolicyFileError(str(file), [PolicyFault(1, "(file)", words)]) from error
    except UnicodeDecodeError as error:
        fault = PolicyFault(1, "(file)", f"is not UTF-8 at byte {error.start}")
        raise PolicyFileError(str(file), [fault]) from error
    return parse_policies(text, file, check_faults)


def parse_policies(text: str, file: FilePath, check_faults: CheckFaults) -> PolicySet:
    """Parse the text of a policy file; `file` is for messages and relative paths."""
    source = PositionedYaml(text)
    if source.faults:
        raise PolicyFileError(str(file), source.faults)
    try:
        parsed = PolicyFile.model_validate({} if source.value is None else source.value)
    except ValidationError as error:
        faults = [_fault(detail, source) for detail in error.errors(include_url=False)]
        raise PolicyFileError(str(file), faults) from None
    builder = PolicyBuilder(parsed, file.parent, check_faults)
    policies = builder.build()
    if builder.faults:
        raise PolicyFileError(
            str(file),
            [PolicyFault(source.line(path), dotted(path), words) for path, words in builder.faults],
        )
    return policies


def _fault(detail: ErrorDetails, source: PositionedYaml) -> PolicyFault:
    path: Path = tuple(part for part in detail["loc"] if part != "[key]")
    return PolicyFault(source.line(path), dotted(path), _words(detail, path))


def _words(detail: ErrorDetails, path: Path) -> str:
    match detail["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return f"is not a key here{_suggestion(path)}"
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"is {_shown(detail['input'])}; must be a mapping"
        case _:
            rule = detail["msg"].removeprefix("Input should be ").removeprefix("Value should ")
            rule = rule if rule.startswith(("have", "String", "List")) else f"must be {rule}"
            return f"is {_shown(detail['input'])}; {rule}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _suggestion(path: Path) -> str:
    allowed = _allowed_keys(path[:-1])
    close = difflib.get_close_matches(str(path[-1]), allowed, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"{hint}; allowed: {', '.join(allowed)}"


def _allowed_keys(path: Path) -> list[str]:
    """Return the keys of the section at `path`, from the file's own JSON Schema."""
    schema = PolicyFile.model_json_schema()
    definitions, node = schema["$defs"], schema
    for part in path:
        node = node["items"] if isinstance(part, int) else _member(node, part)
        for option in node.get("anyOf", []):
            node = option if option.get("type") != "null" else node
        if "$ref" in node:
            node = definitions[node["$ref"].rsplit("/", 1)[-1]]
    return list(node.get("properties", {}))


def _member(node: dict[str, object], key: str) -> dict[str, object]:
    properties = node.get("properties")
    if isinstance(properties, dict) and key in properties:
        found: dict[str, object] = properties[key]
        return found
    other = node.get("additionalProperties") or next(
        iter((node.get("patternProperties") or {}).values()),
        {},  # type: ignore[attr-defined]
    )
    return other if isinstance(other, dict) else {}
