"""A tool call's line: which tool, which rule, why; never a word of its arguments."""

import io
import json

import pytest
from prometheus_client import CollectorRegistry

from consensus.domain.decision import CheckResult
from consensus.domain.tool_call import Denial, ToolVerdict
from consensus.telemetry.logs import structured_logs
from consensus.telemetry.recorder import Recorder
from consensus.telemetry.tool_calls import ToolCallRecorder

DENIED = ToolVerdict(
    tool="fs.write",
    rule="fs.*",
    denial=Denial.ARGUMENTS,
    retry_signal="SENTINEL",
    checks=[CheckResult("SENTINEL", False, "SENTINEL")],
)
ALLOWED = ToolVerdict(tool="fs.read", rule="", denial=None)


@pytest.mark.parametrize(
    ("verdict", "labels", "denial"),
    [
        (DENIED, {"tool_rule": "fs.*", "allowed": "no"}, "arguments"),
        (ALLOWED, {"tool_rule": "none", "allowed": "yes"}, None),
    ],
)
def test_a_verdict_is_counted_and_logged_without_arguments(
    verdict: ToolVerdict, labels: dict[str, str], denial: str | None
) -> None:
    recorder, stream = Recorder(CollectorRegistry()), io.StringIO()
    with structured_logs("info", lambda: None, stream):
        ToolCallRecorder(recorder)(verdict, 0.0125)
    assert recorder.registry.get_sample_value("consensus_tool_calls_total", labels) == 1
    line = json.loads(stream.getvalue())
    assert "SENTINEL" not in stream.getvalue()
    assert (line["message"], line["tool"], line["denial"]) == ("tool call", verdict.tool, denial)
    assert (line["allowed"], line["tool_rule"]) == (verdict.allowed, verdict.rule)
    assert line["duration_ms"] == 12.5
