"""What one judge asks about a submission: the prompt, its schema, and the ways to put it."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import FailureKind
from consensus.domain.judges import LlmSpec
from consensus.domain.submission import Criterion
from consensus.judges.llm import form
from consensus.judges.llm.asking import LARGER
from consensus.judges.llm.chat import Ask, Tool
from consensus.judges.llm.conversation import CHARS_PER_TOKEN
from consensus.judges.llm.prompt import AGAIN, ASKS, LOOK_UP, Nonce, Prompt
from consensus.judges.llm.scoring import TOP_LOGPROBS
from consensus.judges.llm.subject import Subject, Telling, subject_of, takes_long

_Form = tuple[Prompt, Mapping[str, object] | None]


class Pass(Struct, frozen=True):
    """One way to put the question."""

    order: Sequence[Criterion]
    ask: str
    turned: bool = False
    """Whether the order is that of the subject, turned round."""


class Questions:
    """Makes the calls of one judge."""

    def __init__(self, spec: LlmSpec, make_nonce: Nonce) -> None:
        self._spec = spec
        self._make_nonce = make_nonce
        self.digit = spec.scoring == "logprobs"
        self._forms: dict[tuple[bool, bool], _Form] = {}
        told, _ = self._form(criteria=True, traced=False)
        self.version = told.version
        self._room = max(spec.token_budget - told.length // CHARS_PER_TOKEN, 0)
        self._telling = Telling(
            tokens=spec.discovery.token_threshold,
            tools=spec.discovery.max_steps > 0,
            trace=told.tells_trace,
            bare=spec.trace_layout == "bare",
        )

    def take_long(self, evaluation: Evaluation) -> bool:
        """Tell whether `subject`, or a search in it, is work for a thread of its own."""
        return takes_long(evaluation, self._telling)

    def subject(self, evaluation: Evaluation) -> Subject:
        """Return the submission in words, the same for all judges that put it alike."""
        return subject_of(evaluation, self._room, self._spec.keep_messages, self._telling)

    def passes(self, subject: Subject) -> list[Pass]:
        """Return the ways in which the question is put, the first one first."""
        order = subject.order
        passes = [Pass(order, ASKS[0])]
        if self._spec.second_pass == "reorder" and len(order) > 1:
            passes.append(Pass(order[::-1], ASKS[0], turned=True))
        if self._spec.second_pass == "paraphrase":
            passes.append(Pass(order, ASKS[1]))
        return passes

    def opening(self, subject: Subject, tools: tuple[Tool, ...]) -> Ask:
        """Return the first call in which things can be looked up."""
        first = self.passes(subject)[0]
        closing = f"{first.ask}\n{LOOK_UP.format(steps=self._spec.discovery.max_steps)}"
        return self._made(subject, first, 0, closing, self._spec.max_tokens, "", tools)

    def decision(
        self,
        subject: Subject,
        way: Pass,
        sample: int,
        failed: JudgeFailed | None = None,
        found: str = "",
    ) -> Ask:
        """Return a call that asks for the answer; `found` is what was looked up before, `failed`
        how the call before it did.
        """
        closing, max_tokens = way.ask, self._spec.max_tokens
        if failed is not None:
            closing = f"{closing}\n{AGAIN.format(reason=failed.reason)}"
            if failed.kind is FailureKind.TRUNCATED:
                max_tokens *= LARGER
        return self._made(subject, way, sample, closing, max_tokens, found)

    def _made(
        self,
        subject: Subject,
        way: Pass,
        sample: int,
        closing: str,
        max_tokens: int,
        found: str,
        tools: tuple[Tool, ...] = (),
    ) -> Ask:
        spec = self._spec
        prompt, schema = self._form(criteria=bool(subject.rubric), traced=bool(subject.trace))
        return Ask(
            model=spec.model,
            system=prompt.system,
            user=self._user(prompt, subject, way, closing, found),
            max_tokens=max_tokens,
            schema=schema,
            temperature=spec.temperature,
            seed=(subject.seed + sample) % (1 << 31),
            top_logprobs=TOP_LOGPROBS if self.digit else 0,
            tools=tools,
        )

    def _user(self, prompt: Prompt, subject: Subject, way: Pass, closing: str, found: str) -> str:
        """Return the user message, the same for all seats and samples that ask alike."""
        if found:
            return prompt.user(subject, way.order, self._make_nonce, closing, found)
        key = (prompt.version, way.turned, closing)
        user = subject.prompts.get(key)
        if user is None:
            user = prompt.user(subject, way.order, self._make_nonce, closing)
            subject.prompts[key] = user
        return user

    def _form(self, *, criteria: bool, traced: bool) -> _Form:
        """Return prompt and schema, which differ in whether there are criteria and a trace."""
        made = self._forms.get((criteria, traced))
        if made is None:
            reply = form.words(digit=self.digit, criteria=criteria, traced=traced)
            schema = form.schema(digit=self.digit, criteria=criteria, traced=traced)
            prompt = Prompt(self._spec.template, reply)
            made = prompt, schema if self._spec.reply == "json" else None
            self._forms[criteria, traced] = made
        return made
