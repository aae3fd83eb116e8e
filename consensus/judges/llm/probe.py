"""Finds out what a model server accepts, by a handful of tiny real calls, for `check --live`."""

from collections.abc import Callable, Iterator
from enum import Enum

from msgspec import Struct, field
from msgspec.structs import replace

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.judges import BackendSpec, Capabilities
from consensus.judges.llm.backends import open_backend
from consensus.judges.llm.chat import Ask, Finish, Reply, Tool
from consensus.judges.llm.failures import BackendFailed
from consensus.judges.llm.json_values import mapping, parsed

CALL_SECONDS = 60.0
"""Time for one call: a server may have to load the model first."""
MAX_TOKENS = 128
_KEY = "colour"
_SCHEMA = {
    "type": "object",
    "properties": {_KEY: {"type": "string", "enum": ["red", "green", "blue"]}},
    "required": [_KEY],
    "additionalProperties": False,
}
_PLAIN = Capabilities(structured="none", temperature=False, seed=False, logprobs=False)
_STRUCTURES = ("json_schema", "json_object", "tool")
_FLAGS = ("temperature", "seed", "logprobs", "tools")
_TOOL = Tool("tell", "Tells the colour.", _SCHEMA)
_NAMES = ("max_completion_tokens", "max_tokens")
_NOT_OFFERED = {"anthropic_messages": frozenset(("json_object", "seed", "logprobs"))}


class Found(Enum):
    """What became of one capability."""

    ACCEPTED = "accepted"
    IGNORED = "ignored"
    """Answered as if it had not been asked for."""
    REJECTED = "rejected"
    NOT_OFFERED = "not offered"
    """This kind of server has none; not asked."""
    UNKNOWN = "unknown"
    """No answer, for a reason that has nothing to do with it."""


class Probe(Struct, kw_only=True):
    """What one model of one backend accepts."""

    spec: BackendSpec
    model: str
    reachable: bool = False
    key_accepted: bool = False
    found: dict[str, Found] = field(default_factory=dict)
    """By capability: a name for the bound of the reply, a structure, a flag, or `usage`."""
    trouble: str = ""
    """Why nothing could be found out; empty otherwise."""

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Capabilities that the policy file claims and the backend does not have."""
        lacking = (Found.IGNORED, Found.REJECTED, Found.NOT_OFFERED)
        return tuple(name for name in self.claims if self.found.get(name) in lacking)

    @property
    def claims(self) -> tuple[str, ...]:
        """Capabilities that the policy file claims."""
        can = self.spec.capabilities
        names = [] if self.spec.kind in _NOT_OFFERED else [can.max_tokens_name]
        names += [can.structured] if can.structured != "none" else []
        names += [flag for flag in _FLAGS if getattr(can, flag)]
        return (*names, "usage") if self.model in self.spec.prices else tuple(names)


async def probe(
    spec: BackendSpec,
    model: str,
    told: Callable[[str], None] = lambda _: None,
    call_seconds: float = CALL_SECONDS,
) -> Probe:
    """Ask `model` up to nine times and return what it accepts. Never raises JudgeFailed.

    `told` hears the name of each capability before it is tried. Must run inside the event loop.
    """
    result = Probe(spec=spec, model=model)
    trial = _Trial(spec, model, call_seconds)
    name = await _first_contact(result, trial, told)
    if not name:
        return result
    plain = replace(_PLAIN, max_tokens_name=name)
    absent = _NOT_OFFERED.get(spec.kind, frozenset())
    for what, can in _variants(plain):
        if what in absent:
            result.found[what] = Found.NOT_OFFERED
            continue
        told(what)
        outcome = await trial.ask(can)
        result.found[what] = _judged(what, outcome)
    return result


class _Trial:
    """Calls of one model with capabilities of our choice."""

    def __init__(self, spec: BackendSpec, model: str, seconds: float) -> None:
        self._spec = spec
        self._model = model
        self._seconds = seconds

    async def ask(self, can: Capabilities) -> Reply | BackendFailed:
        """Call once, with everything that `can` allows."""
        backend = open_backend(replace(self._spec, capabilities=can))
        how = " Answer in JSON." if can.structured == "json_object" else ""
        how = " Call the tool `tell` with it." if can.tools else how
        ask = Ask(
            model=self._model,
            system="",
            user=f"Name a colour: red, green or blue.{how}",
            max_tokens=MAX_TOKENS,
            schema=_SCHEMA,
            temperature=0.0,
            seed=7,
            top_logprobs=5,
            tools=(_TOOL,) if can.tools else (),
        )
        try:
            return await backend.complete(ask, self._seconds)
        except BackendFailed as failed:
            return failed
        except JudgeFailed as failed:  # before anything was sent, such as without a usable key
            return BackendFailed(failed.kind, failed.reason)
        finally:
            await backend.close()


async def _first_contact(result: Probe, trial: _Trial, told: Callable[[str], None]) -> str:
    """Find the name of the bound of the reply and return it; empty where nothing is answered."""
    spec = result.spec
    wanted = spec.capabilities.max_tokens_name
    names = ("max_tokens",) if spec.kind in _NOT_OFFERED else sorted(_NAMES, key=wanted.__ne__)
    for name in names:
        told(name)
        outcome = await trial.ask(replace(_PLAIN, max_tokens_name=name))
        if not isinstance(outcome, BackendFailed):
            result.reachable = result.key_accepted = True
            result.found[name] = Found.ACCEPTED
            told_usage = outcome.usage.input_tokens and outcome.usage.output_tokens
            result.found["usage"] = Found.ACCEPTED if told_usage else Found.IGNORED
            result.trouble = ""
            return name
        result.reachable = result.reachable or outcome.status > 0
        result.key_accepted = result.reachable and outcome.status not in (401, 403)
        result.trouble = result.trouble or outcome.reason
        if outcome.status not in (400, 422):
            break
        result.found[name] = Found.REJECTED
    result.found.clear()  # both names rejected: it was something else
    return ""


def _variants(plain: Capabilities) -> Iterator[tuple[str, Capabilities]]:
    for structure in _STRUCTURES:
        yield structure, replace(plain, structured=structure)
    yield "temperature", replace(plain, temperature=True)
    yield "seed", replace(plain, seed=True)
    yield "logprobs", replace(plain, logprobs=True)
    yield "tools", replace(plain, tools=True)


def _judged(what: str, outcome: Reply | BackendFailed) -> Found:
    """Return what the answer to a call with one capability means."""
    if isinstance(outcome, BackendFailed):
        # Also 403: that is how models that reason decline log probabilities.
        rejected = outcome.kind is FailureKind.ERROR and 400 <= outcome.status < 500
        return Found.REJECTED if rejected else Found.UNKNOWN
    if what in _STRUCTURES and outcome.finish is Finish.STOP:
        answer = parsed(outcome.text)
        heeded = _KEY in mapping(answer) if what != "json_object" else isinstance(answer, dict)
        return Found.ACCEPTED if heeded else Found.IGNORED
    if what == "logprobs" and not any(token.top for token in outcome.tokens):
        return Found.IGNORED
    if what == "tools" and not outcome.uses:
        return Found.IGNORED
    return Found.ACCEPTED
