"""A model as a judge: asks, reads strictly, asks once more where that may help, and folds."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Literal, TypeVar

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation, Ledger
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import JudgeSpec
from consensus.domain.ports import Clock
from consensus.domain.submission import Criterion
from consensus.judges.llm.answer import answer_of
from consensus.judges.llm.asking import WORTH_ANOTHER, Asking, at_once
from consensus.judges.llm.chat import Ask, ChatBackend, Reply, ToolUse
from consensus.judges.llm.derive import derive, question
from consensus.judges.llm.discovery import Discovered, discover, worst_found, worst_steps
from consensus.judges.llm.lookups import Lookups
from consensus.judges.llm.patterns import ProseReader
from consensus.judges.llm.prompt import Nonce
from consensus.judges.llm.questions import Pass, Questions
from consensus.judges.llm.reply import read_opinion, require_whole
from consensus.judges.llm.scoring import expected_score, of_passes, of_samples
from consensus.judges.llm.subject import Subject

T = TypeVar("T")
_NOTHING = Discovered()


def _new_nonce() -> str:
    return secrets.token_hex(16)


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


class LlmJudge:
    """One model, one way of asking it. Keeps no state between submissions."""

    kind = "llm"
    waits: Literal[True] = True

    def __init__(
        self,
        spec: JudgeSpec,
        backend: ChatBackend,
        clock: Clock,
        make_nonce: Nonce = _new_nonce,
        threads: Executor | None = None,
    ) -> None:
        """Take a sound spec of kind `llm`; the backend may be shared, and is closed by its owner.
        `threads`: put long submissions into words; None: one of its own does.

        Raises ValueError where the spec holds no model or a pattern that RE2 does not take.
        """
        if spec.llm is None:
            raise ValueError(f"judge {spec.name} names no model")
        self.name = spec.name
        self.description = f"{spec.llm.model} at {backend.name}"
        self._spec = spec.llm
        self._backend = backend
        self._clock = clock
        self._make_nonce = make_nonce
        self._threads = threads or ThreadPoolExecutor(1)
        self._questions = Questions(spec.llm, make_nonce)
        self._prose = ProseReader(spec.llm.patterns)

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask the model. Raises JudgeFailed."""
        samples = self._spec.samples
        asking = self._asking(evaluation.ledger(self.name), timeout_seconds)
        subject = await self._aside(evaluation, lambda: self._questions.subject(evaluation))
        seen = _NOTHING
        if subject.outlined.any and self._spec.discovery.max_steps:
            seen = await self._discovered(asking, evaluation, subject)
        calls = [
            self._call(asking, subject, seen, way, sample, first=not (index or sample))
            for index, way in enumerate(self._questions.passes(subject))
            for sample in range(samples)
        ]
        results = await at_once(calls)
        answers = [
            self._folded(results[start : start + samples])
            for start in range(0, len(results), samples)
        ]
        return answers[0] if len(answers) == 1 else of_passes(*answers)

    async def worst_cost(self, evaluation: Evaluation) -> float | None:
        """Return the most that `evaluate` can cost in US dollars, second attempts and looking
        things up included; None where the price is unknown. For reserving it before the judges are
        asked; they find the submission put into words.
        """
        return await self._aside(evaluation, partial(self._worst_cost, evaluation))

    def _worst_cost(self, evaluation: Evaluation) -> float | None:
        subject = self._questions.subject(evaluation)
        samples, steps, found = self._spec.samples, self._spec.discovery.max_steps, ""
        costs: list[float | None] = []
        if subject.outlined.any and steps:
            lookups = Lookups(evaluation, subject.outlined)
            opening = self._questions.opening(subject, lookups.tools)
            costs += map(self._backend.worst_cost, worst_steps(opening, steps))
            found = worst_found(steps)
        for way in self._questions.passes(subject):
            for failed in (None, JudgeFailed(FailureKind.TRUNCATED, "")):
                ask = self._questions.decision(subject, way, 0, failed, found)
                costs += [self._backend.worst_cost(ask)] * samples
        return _sum(costs)

    async def derive(
        self, task: str, max_criteria: int, timeout_seconds: float, ledger: Ledger
    ) -> tuple[Criterion, ...]:
        """Return the criteria that a task asks for, at most so many. Raises JudgeFailed."""
        asking = self._asking(ledger, timeout_seconds)
        return await derive(asking, self._spec, task, max_criteria, self._make_nonce)

    async def worst_cost_of_deriving(self, task: str, max_criteria: int) -> float | None:
        """Return the most that `derive` can cost in US dollars, a second attempt included; None
        where the price is unknown.
        """
        tried = (None, JudgeFailed(FailureKind.TRUNCATED, ""))
        asks = [question(self._spec, task, max_criteria, self._make_nonce, each) for each in tried]
        return _sum([self._backend.worst_cost(ask) for ask in asks])

    async def close(self, grace_seconds: float) -> None:
        """Do nothing: connections belong to the backend."""

    def _asking(self, ledger: Ledger, timeout_seconds: float) -> Asking:
        return Asking(self._backend, self._clock, ledger, timeout_seconds)

    async def _aside(self, evaluation: Evaluation, work: Callable[[], T]) -> T:
        """Return what `work` does, in a thread where it may take long."""
        if not self._questions.take_long(evaluation):
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _discovered(
        self, asking: Asking, evaluation: Evaluation, subject: Subject
    ) -> Discovered:
        """Let the model look up what it was told in outline only. Raises JudgeFailed."""
        lookups = Lookups(evaluation, subject.outlined)

        async def answers(uses: Sequence[ToolUse]) -> Sequence[str]:
            return await self._aside(evaluation, partial(lookups.answers, uses))

        opening = self._questions.opening(subject, lookups.tools)
        steps = self._spec.discovery.max_steps
        return await discover(asking, opening, answers, steps, self._make_nonce)

    def _call(
        self,
        asking: Asking,
        subject: Subject,
        seen: Discovered,
        way: Pass,
        sample: int,
        *,
        first: bool,
    ) -> Callable[[], Awaitable[Answer]]:
        """Return one question with its second attempt, ready to be put. The `first` takes what the
        model said when it had looked up enough, where that is an answer.
        """

        def ask(failed: JudgeFailed | None) -> Ask:
            return self._questions.decision(subject, way, sample, failed, seen.found)

        def read(reply: Reply) -> Answer:
            return self._read(reply, subject, seen)

        async def call() -> Answer:
            if first and seen.reply is not None:
                try:
                    return read(seen.reply)
                except JudgeFailed as failed:
                    if failed.kind not in WORTH_ANOTHER:
                        raise
            return await asking.twice(ask, read)

        return call

    def _read(self, reply: Reply, subject: Subject, seen: Discovered) -> Answer:
        """Return what a reply answers. Raises JudgeFailed."""
        require_whole(reply)
        digit = self._questions.digit
        if self._spec.reply == "json":
            opinion = read_opinion(reply.text, digit=digit)
        else:
            opinion = self._prose.read(reply.text)
        score, method = opinion.score, {"score_method": "parsed"}
        expected = expected_score(reply) if digit and score is not None else None
        if expected is not None:
            score, mass = expected
            method = {"score_method": "logprobs", "score_mass": f"{mass:.4f}"}
        metadata = {**self._circumstances(reply, subject, seen), **method}
        return answer_of(opinion, self._spec, subject.rubric, score, metadata)

    def _circumstances(self, reply: Reply, subject: Subject, seen: Discovered) -> Mapping[str, str]:
        told, of = subject.messages_told
        found = {
            "model": reply.model or self._spec.model,
            "prompt_version": self._questions.version,
            "criteria_seed": str(subject.seed),
            "finish": reply.finish.value,
        }
        if told < of:
            found["messages_told"] = f"{told} of {of}"
        if subject.trace:
            found["trace_told"] = "outline" if subject.outlined.trace else "whole"
        if seen.steps:
            found["discovery_steps"] = str(seen.steps)
        return found

    def _folded(self, results: Sequence[Answer | JudgeFailed]) -> Answer:
        """Return what the samples of one pass come to. Raises the first failure where no more
        than half of them could be used.
        """
        failures = [result for result in results if isinstance(result, JudgeFailed)]
        answers = [result for result in results if not isinstance(result, JudgeFailed)]
        if failures and 2 * len(answers) <= len(results):
            raise failures[0]
        return of_samples(answers, len(results)) if len(results) > 1 else answers[0]
