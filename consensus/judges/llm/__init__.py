"""Models as judges: a prompt out, a strictly read reply in."""

from consensus.judges.llm.judge import LlmJudge

__all__ = ["LlmJudge"]
