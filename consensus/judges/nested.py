"""Nested panels: a judge that is a policy of the same file, asked in this process.

Its decision is one deeper than the asking one. At the last depth leaves may still be asked, nested
panels may not.
"""

from typing import Literal

from consensus.domain.decision import MAX_DEPTH
from consensus.domain.errors import (
    InvalidRequest,
    JudgeFailed,
    RequestError,
    SpendLimitReached,
)
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import JudgeSpec
from consensus.domain.nesting import as_answer
from consensus.domain.ports import NestedPolicies


class PolicyJudge:
    """One policy as a judge."""

    kind = "policy"
    waits: Literal[True] = True

    def __init__(self, spec: JudgeSpec, policies: NestedPolicies) -> None:
        self.name = spec.name
        self.description = f"policy {spec.policy} of this server"
        self._policy = spec.policy
        self._policies = policies

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Let the policy decide and answer as it did. Raises JudgeFailed."""
        if evaluation.hierarchy.depth > MAX_DEPTH:
            path = " > ".join(evaluation.hierarchy.path)
            words = f"DEPTH_EXCEEDED: depth {MAX_DEPTH} is the last ({path})"
            raise JudgeFailed(FailureKind.ERROR, words, about_submission=True)
        ledger = evaluation.ledger(self.name)
        try:
            decision = await self._policies.decide(
                self._policy, evaluation, timeout_seconds, ledger
            )
        except SpendLimitReached as error:
            raise JudgeFailed(FailureKind.SPEND_LIMIT, str(error)) from None
        except RequestError as error:
            words, invalid = f"{error.REASON}: {error}", isinstance(error, InvalidRequest)
            raise JudgeFailed(FailureKind.ERROR, words, about_submission=invalid) from None
        return as_answer(decision)

    async def worst_cost(self, evaluation: Evaluation) -> float | None:
        """Return the most US dollars that all of the policy's stages together may cost."""
        return await self._policies.worst_cost(self._policy, evaluation)

    async def close(self, grace_seconds: float) -> None:
        """Hold nothing: the policy's judges are closed by whoever made them."""
