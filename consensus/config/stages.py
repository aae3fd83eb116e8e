"""Builds the stages of a policy: their gates, panels and checks."""

from collections.abc import Mapping

from consensus.config.checks import build_check
from consensus.config.faults import Faults
from consensus.config.model import PanelSection, StageSection
from consensus.config.positions import Path
from consensus.config.shape import suggestion
from consensus.domain.judges import JudgeSpec
from consensus.domain.policy import (
    DEFAULT_THRESHOLD,
    Action,
    ConfidenceFactors,
    Gate,
    Panel,
    Seat,
    Settle,
    Stage,
    StrategyName,
    Tie,
)
from consensus.domain.ports import CheckFaults
from consensus.domain.sandbox import SandboxRules
from consensus.domain.soundness import panel_faults


class StageBuilder:
    """Builds stages that may name these judges."""

    def __init__(
        self,
        judges: Mapping[str, JudgeSpec],
        check_faults: CheckFaults,
        faults: Faults,
        sandbox: SandboxRules,
    ) -> None:
        self._judges = judges
        self._sandbox = sandbox
        self._check_faults = check_faults
        self._faults = faults

    def stage(self, section: StageSection, path: Path, *, last: bool) -> Stage:
        """Build one stage."""
        self._require_sense(section, path, last=last)
        gate = Gate(**section.gate.model_dump()) if section.gate else Gate()
        checks = tuple(
            build_check(
                check, (*path, "checks", index), self._check_faults, self._faults, self._sandbox
            )
            for index, check in enumerate(section.checks or ())
        )
        return Stage(
            name=section.name,
            panel=self._panel(section.panel, gate, (*path, "panel")) if section.panel else None,
            checks=checks,
            gate=gate,
            on_pass=Action(section.on_pass or ("accept" if last else "advance")),
            on_fail=Action(section.on_fail),
            on_unsure=Action(section.on_unsure),
            on_no_quorum=Action(section.on_no_quorum) if section.on_no_quorum else None,
        )

    def _require_sense(self, section: StageSection, path: Path, *, last: bool) -> None:
        if (section.checks is None) == (section.panel is None):
            words = "both `checks` and" if section.panel else "neither `checks` nor"
            self._faults.add(path, f"has {words} `panel`; must have one of them")
        for key in ("on_pass", "on_fail", "on_unsure", "on_no_quorum"):
            if last and getattr(section, key) == "advance":
                self._faults.add((*path, key), "is 'advance'; the last stage cannot advance")
        if section.panel is None:
            for key in ("gate", "on_no_quorum"):
                if getattr(section, key) is not None:
                    self._faults.add((*path, key), "has no meaning without `panel`")
        elif section.on_no_quorum is None:
            choices = (
                "retry, accept, escalate or fail"
                if last
                else ("retry, accept, escalate, advance or fail")
            )
            words = f"is missing; must say what a missed quorum means: {choices}"
            self._faults.add((*path, "on_no_quorum"), words)

    def _panel(self, section: PanelSection, gate: Gate, path: Path) -> Panel:
        self._require_judges(section, path)
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
            sees=section.sees.built() if section.sees is not None else None,
        )
        self._faults.add_fields(path, panel_faults(panel))
        return panel

    def _require_judges(self, section: PanelSection, path: Path) -> None:
        seen: set[str] = set()
        for index, seat in enumerate(section.seats):
            here = (*path, "seats", index, "judge")
            if seat.judge not in self._judges:
                known = ", ".join(self._judges)
                hint = suggestion(seat.judge, self._judges)
                self._faults.add(here, f"is {seat.judge!r}; must be one of {known}{hint}")
            if seat.judge in seen:
                self._faults.add(here, f"is {seat.judge!r} a second time; must be there once")
            seen.add(seat.judge)
