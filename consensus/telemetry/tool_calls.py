"""Counts tool calls and writes a line for each: which tool, never with what."""

import logging

from consensus.domain.tool_call import ToolVerdict
from consensus.telemetry.recorder import Recorder

log = logging.getLogger("consensus.tool_calls")


class ToolCallRecorder:
    """Is told of every tool call that was judged."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __call__(self, verdict: ToolVerdict, duration_seconds: float) -> None:
        """Count the call and write its line."""
        self._recorder.tool_call_judged(verdict)
        decision = verdict.decision
        log.info(
            "tool call",
            extra={
                "tool": verdict.tool,
                "tool_rule": verdict.rule,
                "allowed": verdict.allowed,
                "denial": verdict.denial.value if verdict.denial else None,
                "policy": decision.policy if decision else None,
                "decision_id": decision.decision_id if decision else None,
                "duration_ms": round(duration_seconds * 1000, 3),
            },
        )
