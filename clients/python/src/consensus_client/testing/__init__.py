"""Servers to test against: real gRPC on 127.0.0.1, answers as scripted.

FakeConsensus stands in for the service, FakeJudge for a judge backend.
"""

from consensus_client.testing.answers import ScriptedError, delayed, error, hang
from consensus_client.testing.decisions import accept, escalate, retry
from consensus_client.testing.fake_consensus import ConsensusAnswer, FakeConsensus
from consensus_client.testing.fake_judge import FakeJudge, JudgeAnswer, abstention, gradient
from consensus_client.testing.server import RecordedCall

__all__ = [
    "ConsensusAnswer",
    "FakeConsensus",
    "FakeJudge",
    "JudgeAnswer",
    "RecordedCall",
    "ScriptedError",
    "abstention",
    "accept",
    "delayed",
    "error",
    "escalate",
    "gradient",
    "hang",
    "retry",
]
