"""THE BENCH AS CONFIGURED: makes the judges of a policy file, with their habits and with what they
share; closes them all.
"""

from collections.abc import Iterator

import anyio

from consensus.cascade import Engine
from consensus.cascade.nesting import Nesting
from consensus.domain.judges import BackendSpec, JudgeSpec
from consensus.domain.policy import PolicySet
from consensus.domain.ports import Clock, Judge, Observer, WaitingJudge
from consensus.judges.embedded import embedded_judges
from consensus.judges.llm.chat import ChatBackend
from consensus.judges.nested import PolicyJudge
from consensus.judges.remote import Backends, RemoteJudge
from consensus.judges.wrappers import UNOBSERVED, HabitObserver, compose
from consensus.sandbox import Sandbox
from consensus.telemetry.observers import Observers
from consensus.validators import run_checks


class Bench(dict[str, Judge]):
    """Every judge that some seat of a policy file names, by name."""

    def __init__(
        self,
        policies: PolicySet,
        engine: Engine,
        clock: Clock,
        observer: Observer | None = None,
        habits: HabitObserver = UNOBSERVED,
    ) -> None:
        """Make the judges. Must run inside the event loop.

        Nested policies run in `engine`, which keeps their spending, and tell `observer`.
        """
        super().__init__()
        self._policies = policies
        self._clock = clock
        self._habits = habits
        self._backends = Backends()
        self._models: dict[str, ChatBackend] = {}
        self.prover = Sandbox(policies.sandbox)
        observer = observer or Observers()
        self._nesting = Nesting(engine, policies.policies, self, observer, self.prover)
        embedded = embedded_judges(run_checks)
        for name in _seated(policies):
            self[name] = embedded.get(name) or self._judge(policies.judges[name])

    def _judge(self, spec: JudgeSpec) -> WaitingJudge:
        return compose(self._plain(spec), spec.habits, self._clock, self._habits)

    def _plain(self, spec: JudgeSpec) -> WaitingJudge:
        match spec.kind:
            case "llm" if spec.llm is not None:
                from consensus.judges.llm.judge import LlmJudge  # as below

                return LlmJudge(spec, self._model(spec.llm.backend), self._clock)
            case "policy":
                return PolicyJudge(spec, self._nesting)
            case _:
                return RemoteJudge(spec, self._backends)

    def _model(self, backend: str) -> ChatBackend:
        """Return the connection to a model server, which its judges share."""
        from consensus.judges.llm.backends import open_backend  # 0.3 s: not at every start

        if backend not in self._models:
            self._models[backend] = open_backend(self._policies.backends[backend])
        return self._models[backend]

    async def close(self, grace_seconds: float) -> None:
        """Let calls under way finish for up to `grace_seconds`, then close all connections."""
        async with anyio.create_task_group() as group:
            for judge in self.values():
                if judge.waits:
                    group.start_soon(judge.close, grace_seconds)
        for model in self._models.values():
            await model.close()
        await self.prover.close()


def _seated(policies: PolicySet) -> Iterator[str]:
    """Yield the judges that seats name, each once, in the order of the file."""
    seats = (
        seat.judge
        for policy in policies.policies.values()
        for stage in policy.stages
        if stage.panel is not None
        for seat in stage.panel.seats
    )
    yield from dict.fromkeys(seats)


def models(policies: PolicySet) -> list[tuple[BackendSpec, str]]:
    """Return every backend and model that some judge of `policies` asks, in the file's order."""
    asked = {(j.llm.backend, j.llm.model): None for j in policies.judges.values() if j.llm}
    return [(policies.backends[backend], model) for backend, model in asked]
