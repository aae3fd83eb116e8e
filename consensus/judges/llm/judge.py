"""A model as a judge: asks, reads strictly, asks once more where that may help, and folds."""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import JudgeSpec, LlmSpec
from consensus.domain.ports import Clock, Evaluation, Ledger
from consensus.domain.submission import Criterion
from consensus.domain.values import value
from consensus.judges.llm import form
from consensus.judges.llm.answer import answer_of
from consensus.judges.llm.asking import LARGER, Asking, at_once
from consensus.judges.llm.chat import Ask, ChatBackend, Reply
from consensus.judges.llm.derive import derive
from consensus.judges.llm.patterns import ProseReader
from consensus.judges.llm.prompt import AGAIN, ASKS, Nonce, Prompt
from consensus.judges.llm.reply import read_opinion, require_whole
from consensus.judges.llm.scoring import TOP_LOGPROBS, expected_score, of_passes, of_samples
from consensus.judges.llm.subject import CHARS_PER_TOKEN, Subject, subject_of


def _new_nonce() -> str:
    return secrets.token_hex(16)


@value(frozen=True, slots=True)
class _Pass:
    """One way to put the question."""

    order: Sequence[Criterion]
    ask: str
    turned: bool = False
    """Whether the order is that of the subject, turned round."""


class LlmJudge:
    """One model, one way of asking it. Keeps no state between submissions."""

    kind = "llm"
    waits: Literal[True] = True

    def __init__(
        self, spec: JudgeSpec, backend: ChatBackend, clock: Clock, make_nonce: Nonce = _new_nonce
    ) -> None:
        """Take a sound spec of kind `llm`; the backend may be shared, and is closed by its owner.

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
        self._digit = spec.llm.scoring == "logprobs"
        self._asked = {criteria: self._asked_for(spec.llm, criteria) for criteria in (True, False)}
        told, _ = self._asked[True]
        self._room = max(spec.llm.token_budget - told.length // CHARS_PER_TOKEN, 0)
        self._prose = ProseReader(spec.llm.patterns)

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask the model. Raises JudgeFailed."""
        spec = self._spec
        subject = self._subject(evaluation)
        asking = self._asking(evaluation.ledger(self.name), timeout_seconds)
        passes = _passes(subject, spec)
        calls = [
            self._call(asking, subject, way, sample)
            for way in passes
            for sample in range(spec.samples)
        ]
        results = await at_once(calls)
        answers = [
            self._folded(results[start : start + spec.samples])
            for start in range(0, len(results), spec.samples)
        ]
        return answers[0] if len(answers) == 1 else of_passes(*answers)

    def worst_cost(self, evaluation: Evaluation) -> float | None:
        """Return the most that `evaluate` can cost in US dollars, second attempts included; None
        where the price is unknown. For reserving it before the judges are asked.
        """
        subject = self._subject(evaluation)
        total = 0.0
        for way in _passes(subject, self._spec):
            for failed in (None, JudgeFailed(FailureKind.TRUNCATED, "")):
                cost = self._backend.worst_cost(self._ask(subject, way, 0, failed))
                if cost is None:
                    return None
                total += self._spec.samples * cost
        return total

    async def derive(
        self, task: str, max_criteria: int, timeout_seconds: float, ledger: Ledger
    ) -> tuple[Criterion, ...]:
        """Return the criteria that a task asks for, at most so many. Raises JudgeFailed."""
        asking = self._asking(ledger, timeout_seconds)
        return await derive(asking, self._spec, task, max_criteria, self._make_nonce)

    async def close(self, grace_seconds: float) -> None:
        """Do nothing: connections belong to the backend."""

    def _asked_for(
        self, spec: LlmSpec, criteria: bool
    ) -> tuple[Prompt, Mapping[str, object] | None]:
        """Return prompt and schema, which differ in whether there are criteria and nothing else."""
        prompt = Prompt(spec.template, form.words(digit=self._digit, criteria=criteria))
        schema = form.schema(digit=self._digit, criteria=criteria)
        return prompt, schema if spec.reply == "json" else None

    def _asking(self, ledger: Ledger, timeout_seconds: float) -> Asking:
        return Asking(self._backend, self._clock, ledger, timeout_seconds)

    def _subject(self, evaluation: Evaluation) -> Subject:
        return subject_of(evaluation, self._room, self._spec.keep_messages)

    def _call(
        self, asking: Asking, subject: Subject, way: _Pass, sample: int
    ) -> Callable[[], Awaitable[Answer]]:
        """Return one question with its second attempt, ready to be put."""

        def ask(failed: JudgeFailed | None) -> Ask:
            return self._ask(subject, way, sample, failed)

        def read(reply: Reply) -> Answer:
            return self._read(reply, subject)

        async def call() -> Answer:
            return await asking.twice(ask, read)

        return call

    def _ask(self, subject: Subject, way: _Pass, sample: int, failed: JudgeFailed | None) -> Ask:
        spec = self._spec
        prompt, schema = self._asked[bool(subject.rubric)]
        closing, max_tokens = way.ask, spec.max_tokens
        if failed is not None:
            closing = f"{closing}\n{AGAIN.format(reason=failed.reason)}"
            if failed.kind is FailureKind.TRUNCATED:
                max_tokens *= LARGER
        return Ask(
            model=spec.model,
            system=prompt.system,
            user=self._user(prompt, subject, way, closing),
            max_tokens=max_tokens,
            schema=schema,
            temperature=spec.temperature,
            seed=(subject.seed + sample) % (1 << 31),
            top_logprobs=TOP_LOGPROBS if self._digit else 0,
        )

    def _user(self, prompt: Prompt, subject: Subject, way: _Pass, closing: str) -> str:
        """Return the user message, the same for all seats and samples that ask alike."""
        key = (prompt.version, way.turned, closing)
        user = subject.prompts.get(key)
        if user is None:
            user = prompt.user(subject, way.order, self._make_nonce, closing)
            subject.prompts[key] = user
        return user

    def _read(self, reply: Reply, subject: Subject) -> Answer:
        """Return what a reply answers. Raises JudgeFailed."""
        require_whole(reply)
        if self._spec.reply == "json":
            opinion = read_opinion(reply.text, digit=self._digit)
        else:
            opinion = self._prose.read(reply.text)
        score, method = opinion.score, {"score_method": "parsed"}
        expected = expected_score(reply) if self._digit and score is not None else None
        if expected is not None:
            score, mass = expected
            method = {"score_method": "logprobs", "score_mass": f"{mass:.4f}"}
        metadata = {**self._circumstances(reply, subject), **method}
        return answer_of(opinion, self._spec, subject.rubric, score, metadata)

    def _circumstances(self, reply: Reply, subject: Subject) -> Mapping[str, str]:
        told, of = subject.messages_told
        return {
            "model": reply.model or self._spec.model,
            "prompt_version": self._asked[True][0].version,
            "criteria_seed": str(subject.seed),
            "finish": reply.finish.value,
        } | ({"messages_told": f"{told} of {of}"} if told < of else {})

    def _folded(self, results: Sequence[Answer | JudgeFailed]) -> Answer:
        """Return what the samples of one pass come to. Raises the first failure where no more
        than half of them could be used.
        """
        failures = [result for result in results if isinstance(result, JudgeFailed)]
        answers = [result for result in results if not isinstance(result, JudgeFailed)]
        if failures and 2 * len(answers) <= len(results):
            raise failures[0]
        return of_samples(answers, len(results)) if len(results) > 1 else answers[0]


def _passes(subject: Subject, spec: LlmSpec) -> list[_Pass]:
    order = subject.order
    passes = [_Pass(order, ASKS[0])]
    if spec.second_pass == "reorder" and len(order) > 1:
        passes.append(_Pass(order[::-1], ASKS[0], turned=True))
    if spec.second_pass == "paraphrase":
        passes.append(_Pass(order, ASKS[1]))
    return passes
