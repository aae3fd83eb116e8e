"""Servers to test against: real ones on 127.0.0.1, answers as scripted.

FakeConsensus stands in for the service, FakeJudge for a judge backend, both over gRPC; FakeLlm for
a model server over HTTP.
"""

from consensus_client.testing.answers import ScriptedError, delayed, error, hang
from consensus_client.testing.decisions import accept, escalate, retry
from consensus_client.testing.fake_consensus import ConsensusAnswer, FakeConsensus
from consensus_client.testing.fake_judge import FakeJudge, JudgeAnswer, abstention, gradient
from consensus_client.testing.fake_llm import FakeLlm
from consensus_client.testing.llm_answers import (
    LlmAnswer,
    contradictory,
    dripping,
    error_in_200,
    garbage,
    half,
    http_error,
    huge,
    llm_reply,
    llm_tool_calls,
    wrong_schema,
)
from consensus_client.testing.llm_calls import LlmCall
from consensus_client.testing.server import RecordedCall
from consensus_client.testing.tool_calls import ToolCallAnswer, allow, deny

__all__ = [
    "ConsensusAnswer",
    "FakeConsensus",
    "FakeJudge",
    "FakeLlm",
    "JudgeAnswer",
    "LlmAnswer",
    "LlmCall",
    "RecordedCall",
    "ScriptedError",
    "ToolCallAnswer",
    "abstention",
    "accept",
    "allow",
    "contradictory",
    "delayed",
    "deny",
    "dripping",
    "error",
    "error_in_200",
    "escalate",
    "garbage",
    "gradient",
    "half",
    "hang",
    "http_error",
    "huge",
    "llm_reply",
    "llm_tool_calls",
    "retry",
    "wrong_schema",
]
