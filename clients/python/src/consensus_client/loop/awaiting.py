"""The loop for asyncio programs."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence

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


class AsyncJudgeLoop:
    """JudgeLoop on an event loop: takes the same arguments and keeps the same promises.

    `worker`, `validate`, `fix` and `needs_person` may be coroutine functions or plain ones; a
    plain one holds up the event loop while it works. Cancelling the task stops worker and judges,
    the server's too, and leaves the state as it was before the call, with what was kept.
    """

    def __init__(
        self,
        client: AsyncConsensusClient,
        worker: Callable[[Attempt], Made | Awaitable[Made]],
        rules: LoopRules | None = None,
        *,
        validate: Callable[[Draft], Iterable[str] | Awaitable[Iterable[str] | None] | None]
        | None = None,
        fix: Callable[[Draft, Sequence[str]], Made | Awaitable[Made]] | None = None,
        needs_person: Callable[[Draft], str | Awaitable[str | None] | None] | None = None,
        prepare: Callable[[Submission, LoopState], Submission] | None = None,
        on_change: Callable[[LoopState], object] | None = None,
        goal: Goal | None = None,
    ) -> None:
        must = "an AsyncConsensusClient; for this one there is JudgeLoop"
        expect.other_than("client", client, ConsensusClient, must)
        self._rules = LoopRules() if rules is None else rules
        expect.typed("rules", self._rules, LoopRules, "a LoopRules")
        expect.typed("goal", goal, Goal | None, "a Goal")
        self._goal = goal
        self._client = client
        hooks = (validate, fix, needs_person, prepare, on_change)
        self._crew = Crew(client.judge, self._propose, worker, *hooks)

    async def run(self, state: LoopState) -> RunReport:
        """Run until the end or a pause, writing into `state`; return the report.

        As JudgeLoop.run().
        """
        steps = course(state, self._rules, self._crew)
        try:
            call = next(steps)
            while True:
                made = call()
                call = steps.send(await made if inspect.isawaitable(made) else made)
        except StopIteration:
            return report_of(state, self._goal)
        finally:
            steps.close()

    async def _propose(
        self, request: JudgeToolCallRequest, note: Note, rules: LoopRules
    ) -> JudgeToolCallResponse:
        answer = await self._client.judge_tool_call(
            request, timeout_seconds=rules.timeout_seconds, metadata=rules.metadata
        )
        note(answer)
        return answer
