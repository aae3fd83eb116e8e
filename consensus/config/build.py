"""Builds policies out of the parsed file and finds what only makes sense together."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path as FilePath

from consensus.config.model import CheckSection, JudgeSection, PanelSection, PolicyFile
from consensus.config.model import PolicySection, StageSection
from consensus.config.positions import Path
from consensus.domain.policy import (
    DEFAULT_THRESHOLD,
    Action,
    ConfidenceFactors,
    Gate,
    JudgeSpec,
    Panel,
    Policy,
    PolicySet,
    Seat,
    Settle,
    Stage,
    StrategyName,
    Tie,
    panel_faults,
)
from consensus.domain.ports import CheckFaults
from consensus.domain.submission import (
    Check,
    CheckKind,
    CodeBlock,
    Contains,
    ContainsAll,
    JsonSchema,
    LengthLimit,
    NotContains,
    NumericAnswer,
    Regex,
)

EMBEDDED = ("checks", "coverage", "conduct")


class PolicyBuilder:
    """Builds a PolicySet and collects (path, what is wrong) on the way."""

    def __init__(self, parsed: PolicyFile, folder: FilePath, check_faults: CheckFaults) -> None:
        self._parsed = parsed
        self._folder = folder
        self._check_faults = check_faults
        self.faults: list[tuple[Path, str]] = []

    def build(self) -> PolicySet:
        """Return the policies; only to be used when `faults` stays empty."""
        judges = {name: JudgeSpec(name=name, kind="embedded") for name in EMBEDDED}
        for name, section in self._parsed.judges.items():
            if name in judges:
                self._fault(("judges", name), "is the name of an embedded judge; choose another")
            judges[name] = self._judge(name, section)
        policies = {
            name: self._policy(name, section, judges)
            for name, section in self._parsed.policies.items()
        }
        return PolicySet(policies=policies, judges=judges, default=self._default())

    def _fault(self, path: Path, message: str) -> None:
        self.faults.append((path, message))

    def _default(self) -> str:
        names = list(self._parsed.policies)
        wanted = self._parsed.default_policy
        if wanted is None:
            wanted = "default" if "default" in names else names[0]
            if wanted != "default" and len(names) > 1:
                self._fault((), f"needs `default_policy`: one of {', '.join(names)}")
        elif wanted not in names:
            self._fault(("default_policy",), f"is {wanted!r}; must be one of {', '.join(names)}")
        return wanted

    def _judge(self, name: str, section: JudgeSection) -> JudgeSpec:
        tls = section.tls
        ca_file = str(self._folder / tls.ca_file) if tls and tls.ca_file else ""
        if ca_file and not FilePath(ca_file).is_file():
            self._fault(
                ("judges", name, "tls", "ca_file"), f"is {ca_file!r}; there is no such file"
            )
        return JudgeSpec(
            name=name,
            kind=section.kind,
            target=section.target,
            remote_judge=section.judge,
            tls=tls is not None,
            tls_ca_file=ca_file,
            tls_server_name=tls.server_name if tls else "",
        )

    def _policy(self, name: str, section: PolicySection, judges: dict[str, JudgeSpec]) -> Policy:
        stages = []
        for index, stage in enumerate(section.stages):
            path: Path = ("policies", name, "stages", index)
            last = index == len(section.stages) - 1
            if stage.name in (other.name for other in stages):
                self._fault((*path, "name"), f"is {stage.name!r}, which an earlier stage has")
            stages.append(self._stage(stage, path, last, judges))
        return Policy(
            name=name,
            stages=tuple(stages),
            revision=revision(section, self._parsed.judges),
            description=section.description,
            enabled=section.enabled,
            rubric_required=section.rubric == "required",
            deadline_seconds=section.deadline_seconds,
        )

    def _stage(
        self, section: StageSection, path: Path, last: bool, judges: dict[str, JudgeSpec]
    ) -> Stage:
        if (section.checks is None) == (section.panel is None):
            self._fault(path, "needs either `checks` or `panel`")
        for key in ("on_pass", "on_fail", "on_unsure", "on_no_quorum"):
            if last and getattr(section, key) == "advance":
                self._fault((*path, key), "is 'advance'; the last stage cannot advance")
        if section.panel is None:
            for key in ("gate", "on_no_quorum"):
                if getattr(section, key) is not None:
                    self._fault((*path, key), "has no meaning without `panel`")
        elif section.on_no_quorum is None:
            self._fault(
                (*path, "on_no_quorum"),
                "is missing; say what a missed quorum means: retry, accept, escalate, fail"
                + ("" if last else " or advance"),
            )
        gate = Gate(**section.gate.model_dump()) if section.gate else Gate()
        checks = tuple(
            self._check(check, (*path, "checks", i)) for i, check in enumerate(section.checks or ())
        )
        return Stage(
            name=section.name,
            panel=self._panel(section.panel, gate, (*path, "panel"), judges),
            checks=checks,
            gate=gate,
            on_pass=Action(section.on_pass or ("accept" if last else "advance")),
            on_fail=Action(section.on_fail),
            on_unsure=Action(section.on_unsure),
            on_no_quorum=Action(section.on_no_quorum) if section.on_no_quorum else None,
        )

    def _panel(
        self, section: PanelSection | None, gate: Gate, path: Path, judges: dict[str, JudgeSpec]
    ) -> Panel | None:
        if section is None:
            return None
        seen: set[str] = set()
        for index, seat in enumerate(section.seats):
            if seat.judge not in judges:
                known = ", ".join(judges)
                words = f"is {seat.judge!r}; must be one of {known}"
                self._fault((*path, "seats", index, "judge"), words)
            if seat.judge in seen:
                self._fault((*path, "seats", index, "judge"), f"is {seat.judge!r} a second time")
            seen.add(seat.judge)
        panel = Panel(
            seats=tuple(Seat(**seat.model_dump()) for seat in section.seats),
            strategy=StrategyName(section.strategy),
            threshold=section.threshold or gate.min_score or DEFAULT_THRESHOLD,
            quorum=section.quorum,
            n=section.n,
            trim=section.trim,
            tie=Tie(section.tie),
            factors=ConfidenceFactors(
                agreement=section.confidence.agreement_factor,
                self_confidence=section.confidence.self_confidence_factor,
            ),
            settle=Settle(section.settle),
        )
        for field, words in panel_faults(panel):
            self._fault((*path, *_parts(field)), words)
        return panel

    def _check(self, section: CheckSection, path: Path) -> Check:
        kinds = [kind for kind in _kinds(section) if kind is not None]
        if len(kinds) != 1:
            names = ", ".join(name for name in CheckSection.model_fields if name != "output")
            self._fault(path, f"has {len(kinds)} kinds of check; must have exactly one of {names}")
            return Check(Contains(""))
        check = Check(kinds[0], section.output)
        for field, words in self._check_faults(check):
            self._fault((*path, *_parts(field)), words)
        return check


def _kinds(section: CheckSection) -> Iterator[CheckKind | None]:
    yield None if section.contains is None else Contains(section.contains)
    yield None if section.contains_all is None else ContainsAll(tuple(section.contains_all))
    yield None if section.not_contains is None else NotContains(section.not_contains)
    yield None if section.regex is None else Regex(section.regex)
    yield None if section.json_schema is None else JsonSchema(section.json_schema)
    yield None if section.numeric is None else NumericAnswer(**section.numeric.model_dump())
    yield None if section.length is None else LengthLimit(**section.length.model_dump())
    yield None if section.code_block is None else CodeBlock(section.code_block)


def _parts(field: str) -> Path:
    """Split a field such as `seats[0].weight` into ("seats", 0, "weight")."""
    flat = field.replace("[", ".").replace("]", "").split(".")
    return tuple(int(part) if part.isdigit() else part for part in flat)


def revision(section: PolicySection, judges: dict[str, JudgeSection]) -> str:
    """Return the digest of a policy's canonical content, its judges and every default included."""
    seats = [seat.judge for stage in section.stages if stage.panel for seat in stage.panel.seats]
    content = {
        "policy": section.model_dump(mode="json"),
        "judges": {name: judges[name].model_dump(mode="json") for name in seats if name in judges},
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()[:16]
