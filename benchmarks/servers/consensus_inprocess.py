"""The whole service, with the five small judges in place of the embedded ones."""

from typing import Literal

import anyio

from benchmarks.workload import HEURISTICS, Heuristic
from consensus.app import App, read_policies
from consensus.config import Settings
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import GradientResult
from consensus.domain.policy import Action, Panel, Policy, PolicySet, Seat, Stage
from consensus.service.rulebook import Rulebook
from consensus.telemetry.exposition import process_registry
from consensus.telemetry.logs import structured_logs
from consensus.telemetry.recorder import Recorder


class HeuristicJudge:
    """One of the small judges behind the port."""

    kind = "embedded"
    description = "A small judge of the benchmark."
    waits: Literal[False] = False

    def __init__(self, name: str, heuristic: Heuristic) -> None:
        self.name = name
        self._heuristic = heuristic

    def evaluate_now(self, evaluation: Evaluation) -> GradientResult:
        """Run the heuristic."""
        submission = evaluation.submission
        score, confidence, reasoning = self._heuristic(submission.task, submission.candidate)
        return GradientResult(score=score, confidence=confidence, reasoning=reasoning)


def rulebook() -> Rulebook:
    """Return one policy that seats all five."""
    panel = Panel(seats=tuple(Seat(judge=name) for name in HEURISTICS), quorum=3)
    stage = Stage(
        name="panel",
        panel=panel,
        on_pass=Action.ACCEPT,
        on_fail=Action.RETRY,
        on_unsure=Action.RETRY,
        on_no_quorum=Action.ESCALATE,
    )
    policy = Policy(name="default", stages=(stage,), revision="sha256:0000000000000000")
    policies = PolicySet(policies={"default": policy}, judges={}, default="default")
    judges = {name: HeuristicJudge(name, h) for name, h in HEURISTICS.items()}
    return Rulebook(policies, judges, None)


def main() -> None:
    """Serve."""
    settings = Settings(listen="127.0.0.1:0", metrics="127.0.0.1:0", drain_delay_seconds=0)
    recorder = Recorder(process_registry())

    async def serve() -> None:
        app = App(settings, read_policies(None), recorder)
        app.rules.current = rulebook()
        await app.run(lambda address, _: print("ready", address, flush=True))

    with structured_logs("info", recorder.log_dropped):
        anyio.run(serve)


if __name__ == "__main__":
    main()
