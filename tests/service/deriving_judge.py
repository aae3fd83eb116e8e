"""A judge in this process that has a price and derives rubrics, as a model would."""

from typing import Any

from msgspec.structs import replace

from consensus.domain.evaluation import Evaluation, Ledger
from consensus.domain.gradient import Usage
from consensus.domain.ports import Judge
from consensus.domain.submission import Criterion
from consensus.service.rulebook import Rulebook
from tests.builders import Waiting, scores
from tests.service.running import Running

RUBRIC = (
    Criterion(id="C1", text="Names the capital.", required=True),
    Criterion(id="C2", text="Says where it lies."),
)
USED = Usage(input_tokens=40, output_tokens=20, cost_usd=0.002)


class Model(Waiting):
    """Scores 0.9 and derives what `derived` says, or raises it where it is an exception."""

    def __init__(
        self, name: str = "model", derived: object = RUBRIC, tells_usage: bool = True
    ) -> None:
        super().__init__(name, 0.0, scores(0.9))
        self.derived = derived
        self.tells_usage = tells_usage
        self.tasks: list[tuple[str, int]] = []
        self.worst: float | None = 0.01

    async def worst_cost(self, evaluation: Evaluation) -> float | None:
        return self.worst

    async def worst_cost_of_deriving(self, task: str, max_criteria: int) -> float | None:
        return self.worst

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Any:
        evaluation.ledger(self.name).add(USED)
        return await super().evaluate(evaluation, timeout_seconds)

    async def derive(
        self, task: str, max_criteria: int, timeout_seconds: float, ledger: Ledger
    ) -> tuple[Criterion, ...]:
        self.tasks.append((task, max_criteria))
        self.timeouts.append(timeout_seconds)
        if self.tells_usage:
            ledger.add(USED)
        if isinstance(self.derived, BaseException):
            raise self.derived
        return self.derived  # type: ignore[return-value] # some models lie


def seat(server: Running, *models: Judge, **limits: float) -> None:
    """Let models answer in the place of the judges of their names; `limits` go under `spend`."""
    current = server.app.rules.current
    policies = {
        name: replace(policy, spend=replace(policy.spend, **limits))
        for name, policy in current.policies.policies.items()
    }
    judges = {**current.judges, **{model.name: model for model in models}}
    server.app.rules.current = Rulebook(
        replace(current.policies, policies=policies), judges, current.prover
    )
