"""The loop for programs without an event loop."""

from collections.abc import Callable, Iterable, Sequence

from consensus.v1.submission_pb2 import Submission
from consensus.v1.tool_call_pb2 import JudgeToolCallRequest, JudgeToolCallResponse
from consensus_client import expect
from consensus_client.async_client import AsyncConsensusClient
from consensus_client.client import ConsensusClient
from consensus_client.loop.course import Crew, course
from consensus_client.loop.drafts import Attempt, Draft, Made
from consensus_client.loop.goal import Goal
from consensus_client.loop.proposals import Note
from consensus_client.loop.report import RunReport, report_of
from consensus_client.loop.rules import LoopRules
from consensus_client.loop.state import LoopState


class JudgeLoop:
    """Has a worker try until the judges accept, escalate, or `max_iterations` turns are over.

    `worker`: makes a draft of an attempt. `validate`: returns what is wrong with a draft, nothing
    when it may go to the judges; an empty one never may. `fix`: mends a draft by what is wrong; it
    is validated again. Without it, or after `max_fixes`, the draft goes back to the worker without
    asking a judge.
    `needs_person`: returns a question to pause at a valid draft; a draft is asked about once.
    `prepare`: completes the submission; must do so alike each time. `on_change`: is told of every
    change, such as to save `state.to_json()`. `goal`: for the scorecard; None: the rubric.

    The loop repeats no call: the client has already retried what may be retried. Whatever a call
    or a hook raises passes through, KeyboardInterrupt too; no turn is used up, what was kept stays
    in the state, and `run()` with the same state goes on where it stopped: an unanswered request
    is sent again with its request_id, so that no judge is paid twice.
    """

    def __init__(
        self,
        client: ConsensusClient,
        worker: Callable[[Attempt], Made],
        rules: LoopRules | None = None,
        *,
        validate: Callable[[Draft], Iterable[str] | None] | None = None,
        fix: Callable[[Draft, Sequence[str]], Made] | None = None,
        needs_person: Callable[[Draft], str | None] | None = None,
        prepare: Callable[[Submission, LoopState], Submission] | None = None,
        on_change: Callable[[LoopState], object] | None = None,
        goal: Goal | None = None,
    ) -> None:
        must = "a ConsensusClient; for this one there is AsyncJudgeLoop"
        expect.other_than("client", client, AsyncConsensusClient, must)
        self._rules = LoopRules() if rules is None else rules
        expect.typed("rules", self._rules, LoopRules, "a LoopRules")
        expect.typed("goal", goal, Goal | None, "a Goal")
        self._goal = goal
        self._client = client
        hooks = (validate, fix, needs_person, prepare, on_change)
        self._crew = Crew(client.judge, self._propose, worker, *hooks)

    def run(self, state: LoopState) -> RunReport:
        """Run until the end or a pause, writing into `state`; return the report.

        A state that has ended, or waits for a person, is only reported. Raises ConsensusError
        where the judges give no answer, and what the hooks raise.
        """
        steps = course(state, self._rules, self._crew)
        try:
            call = next(steps)
            while True:
                call = steps.send(call())
        except StopIteration:
            return report_of(state, self._goal)
        finally:
            steps.close()

    def _propose(
        self, request: JudgeToolCallRequest, note: Note, rules: LoopRules
    ) -> JudgeToolCallResponse:
        answer = self._client.judge_tool_call(
            request, timeout_seconds=rules.timeout_seconds, metadata=rules.metadata
        )
        note(answer)
        return answer
