"""THE BENCH AS CONFIGURED: makes the judges of a policy file, with their habits and with what they
share; closes them all.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack

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

THREADS = 2
"""Long submissions that judges put into words at a time; more would take the processor from the
event loop."""

_undoing: set[asyncio.Task[None]] = set()
"""Benches that close because they could not be made: kept, or the loop would lose them half-way."""


class Bench(dict[str, Judge]):
    """Every judge that some seat of a policy file names, by name."""

    def __init__(
        self,
        policies: PolicySet,
        engine: Engine,
        clock: Clock,
        observer: Observer | None = None,
        habits: HabitObserver = UNOBSERVED,
        before: "Bench | None" = None,
    ) -> None:
        """Make the judges. Must run inside the event loop. Raises OSError.

        Nested policies run in `engine`, which keeps their spending, and tell `observer`. A judge
        that `before` has just like this moves over as it is, with its connections, breaker and
        cache; its new bench closes it.
        """
        super().__init__()
        self._policies = policies
        self._clock = clock
        self._habits = habits
        self._before = before
        self.remote: Backends = before.remote if before else Backends(habits.called)
        self.models: dict[str, ChatBackend] = {}
        self._moved: set[str] = set()
        self._threads = ThreadPoolExecutor(THREADS, "judges")  # judges may take it along
        self.prover = Sandbox(policies.sandbox)
        observer = observer or Observers()
        self._nesting = Nesting(engine, policies.policies, self, observer, self.prover)
        embedded = embedded_judges(run_checks)
        try:
            for name in _seated(policies):
                spec = policies.judges[name]
                self[name] = embedded.get(name) or self._same(spec) or self._judge(spec)
        except BaseException:
            self._undo()
            raise
        if before:  # only now: had this failed, they would be needed where they are
            before.give_to(self)
        self._before = None

    def _undo(self) -> None:
        """Close what was made before something could not be; what others made stays theirs."""
        if self._before:
            self.give_to(self._before)
        closing = asyncio.get_running_loop().create_task(self.close(0))
        _undoing.add(closing)
        closing.add_done_callback(_undoing.discard)

    def _same(self, spec: JudgeSpec) -> Judge | None:
        """Return the judge as it was before, where it would be made alike."""
        before = self._before
        if before is None or spec.kind == "policy":  # which asks the policies of its own bench
            return None
        if spec.llm is not None:
            backend = spec.llm.backend
            if self._model(backend) is not before.models.get(backend):
                return None
        return before.judge_of(spec)

    def judge_of(self, spec: JudgeSpec) -> Judge | None:
        """Return the judge that was made by this spec; None where there is none."""
        return self.get(spec.name) if self._policies.judges.get(spec.name) == spec else None

    def model_of(self, policies: PolicySet, backend: str) -> ChatBackend | None:
        """Return the connection to a model server that `policies` describe as these do."""
        alike = policies.backends[backend] == self._policies.backends.get(backend)
        return self.models.get(backend) if alike else None

    def give_to(self, bench: "Bench") -> None:
        """Leave to `bench` what it shares: it closes that from now on."""
        self._moved = {name for name, judge in self.items() if bench.get(name) is judge}
        shared = bench.models
        self.models = {n: model for n, model in self.models.items() if shared.get(n) is not model}

    def _judge(self, spec: JudgeSpec) -> WaitingJudge:
        return compose(self._plain(spec), spec.habits, self._clock, self._habits)

    def _plain(self, spec: JudgeSpec) -> WaitingJudge:
        match spec.kind:
            case "llm" if spec.llm is not None:
                from consensus.judges.llm.judge import LlmJudge  # as below

                model = self._model(spec.llm.backend)
                return LlmJudge(spec, model, self._clock, threads=self._threads)
            case "policy":
                return PolicyJudge(spec, self._nesting)
            case _:
                return RemoteJudge(spec, self.remote)

    def _model(self, backend: str) -> ChatBackend:
        """Return the connection to a model server, which its judges share."""
        from consensus.judges.llm.backends import open_backend  # 0.3 s: not at every start

        if backend not in self.models:
            known = self._before.model_of(self._policies, backend) if self._before else None
            self.models[backend] = known or open_backend(self._policies.backends[backend])
        return self.models[backend]

    async def close(self, grace_seconds: float) -> None:
        """Let calls under way finish for up to `grace_seconds`, then close all connections but
        those that have moved on.
        """
        async with AsyncExitStack() as stack:  # whatever fails, the rest is closed
            stack.push_async_callback(self.prover.close)
            for model in self.models.values():
                stack.push_async_callback(model.close)
            async with anyio.create_task_group() as group:
                for name, judge in self.items():
                    if judge.waits and name not in self._moved:
                        group.start_soon(judge.close, grace_seconds)


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


def remote_judges(policies: PolicySet) -> list[JudgeSpec]:
    """Return every judge of `policies` that is asked over gRPC, in the file's order."""
    return [spec for spec in policies.judges.values() if spec.target]
