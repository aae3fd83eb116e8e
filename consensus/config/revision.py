"""Tells one content of a policy from another."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from consensus.config.bench import JudgeSection
from consensus.config.file import PolicyFile, PolicySection
from consensus.config.sandbox import SandboxSection
from consensus.domain.decision import MAX_DEPTH


def revision(section: PolicySection, file: PolicyFile, templates: Mapping[str, str]) -> str:
    """Return the digest of a policy's canonical content, its judges, their backends, the policies
    nested in it and every default included, and the texts of its judges' own prompt templates.

    Comments, the order of keys and judges that no seat names leave it alone.
    """
    judges, policies = _reached(section, file)
    backends = {judge.backend for judge in judges.values() if judge.backend}
    content = {
        "policy": section.model_dump(mode="json"),
        "judges": {name: judge.model_dump(mode="json") for name, judge in judges.items()},
    }
    if policies:
        content["policies"] = {n: file.policies[n].model_dump(mode="json") for n in policies}
    if backends:
        content["backends"] = {
            name: file.backends[name].model_dump(mode="json")
            for name in backends
            if name in file.backends
        }
    if file.sandbox != SandboxSection():
        content["sandbox"] = file.sandbox.model_dump(mode="json")
    if own := {name: templates[name] for name in judges if name in templates}:
        content["templates"] = own
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _reached(section: PolicySection, file: PolicyFile) -> tuple[dict[str, JudgeSection], list[str]]:
    """Return the judges that a policy asks, directly or through nested policies, and these.

    Looks no deeper than policies may nest; a file that goes deeper is refused.
    """
    judges: dict[str, JudgeSection] = {}
    policies: list[str] = []
    level = [section]
    for _ in range(MAX_DEPTH + 1):
        below: list[PolicySection] = []
        for name in (name for policy in level for name in _seated(policy)):
            if name not in file.judges or name in judges:
                continue
            judge = judges[name] = file.judges[name]
            if judge.policy in file.policies and judge.policy not in policies:
                policies.append(judge.policy)
                below.append(file.policies[judge.policy])
        level = below
    return judges, policies


def _seated(section: PolicySection) -> Iterator[str]:
    for stage in section.stages:
        if stage.panel:
            yield from (seat.judge for seat in stage.panel.seats)
