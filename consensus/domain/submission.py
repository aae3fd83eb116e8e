"""What is to be judged: task, candidate, rubric and their surroundings."""

from collections.abc import Mapping

from msgspec import Struct, field

from consensus.domain.trace import Span
from consensus.domain.turn import Turn
from consensus.domain.words import Word

CRITERION_ID = r"[A-Za-z0-9._-]{1,64}"
"""What an id looks like, as a regular expression."""
MAX_CRITERION_TEXT = 4_000
MAX_CRITERIA = 256
"""Most criteria of a rubric; more is a list of tests, not a rubric, and costs every judge."""


class Contains(Struct, frozen=True):
    """The text holds this string, case included."""

    value: str


class ContainsAll(Struct, frozen=True):
    """The text holds every one of these strings."""

    values: tuple[str, ...]


class NotContains(Struct, frozen=True):
    """The text holds this string nowhere."""

    value: str


class Regex(Struct, frozen=True):
    """The text holds a match of this RE2 expression, unanchored."""

    pattern: str


class JsonSchema(Struct, frozen=True):
    """The text, less a code fence, is JSON that this JSON Schema (draft 2020-12) accepts."""

    schema: Mapping[str, object]


class NumericAnswer(Struct, frozen=True):
    """The last number in the text is this number."""

    value: float
    tolerance: float = 0.0
    """Largest absolute difference that still counts, inclusive; at least 0."""


class LengthLimit(Struct, frozen=True):
    """The length of the text is within these limits, inclusive; None means no limit."""

    min_words: int | None = None
    max_words: int | None = None
    min_chars: int | None = None
    max_chars: int | None = None


class CodeBlock(Struct, frozen=True):
    """The text holds a non-empty fenced code block of this language; `*` means any."""

    language: str


class ExitCode(Struct, frozen=True):
    """The candidate's process ended with this exit code."""

    expected: int = 0
    stderr_score: float = 1.0
    """Score of the check where standard error is not empty, 0 to 1."""
    min_score: float = 1.0
    """Score from which the check passes, inclusive, above 0."""


class SqlQuery(Struct, frozen=True):
    """The last SQL in the text is one query that runs, read-only, in a sandbox of its own."""

    setup: str = ""
    """SQL that makes tables and rows first."""
    columns: tuple[str, ...] = ()
    """Names of the result's columns, in order, compared without case; empty means any."""
    min_rows: int = 0


class UrlAnswer(Struct, frozen=True):
    """Every URL in the text answers with status 200."""

    contains: str = ""
    """What the answer's text must hold, case included; empty means nothing."""


class CodeRun(Struct, frozen=True):
    """The last code block of the language runs in a sandbox and ends with exit code 0."""

    language: str
    test: str = ""
    """Code that runs after the block, in the same module."""


CheckKind = (
    Contains
    | ContainsAll
    | NotContains
    | Regex
    | JsonSchema
    | NumericAnswer
    | LengthLimit
    | CodeBlock
    | ExitCode
    | SqlQuery
    | UrlAnswer
    | CodeRun
)


SandboxKind = SqlQuery | UrlAnswer | CodeRun
"""Checks that wait or touch the world: the sandbox proves them before the stages run."""
SANDBOX_KEYS = {SqlQuery: "sql", UrlAnswer: "url", CodeRun: "code_run"}
"""What these are called in the contract and in policy files."""
MAX_SANDBOXED = 16
"""Most such checks of one rubric."""


class CheckTarget(Word):
    """Texts that a check can look at."""

    CANDIDATE = "candidate"
    STDERR = "stderr"
    """What the candidate's process wrote to standard error."""


class Check(Struct, frozen=True):
    """One deterministic check of a text."""

    kind: CheckKind
    output: str = ""
    """The output to look at, by its key in `Submission.outputs`; empty means the target."""
    target: CheckTarget = CheckTarget.CANDIDATE
    """The text to look at where no output is named."""


class Criterion(Struct, frozen=True, kw_only=True):
    """One checkable requirement."""

    id: str
    """Stable, chosen by the caller, unique in the rubric."""
    text: str
    required: bool = False
    weight: float = 1.0
    """Weight among the criteria where a judge scores by criterion; finite, > 0."""
    checks: tuple[Check, ...] = ()
    """MET iff all of them hold."""


class Message(Struct, frozen=True):
    """One message of the conversation."""

    role: str
    """`system`, `user`, `assistant` or `tool`."""
    content: str


class ProcessResult(Struct, frozen=True):
    """How a process ended whose standard output is the candidate."""

    exit_code: int = 0
    stderr: str = ""


class Scenario(Struct, frozen=True):
    """The facts of a simulated conversation that tests an agent."""

    description: str = ""
    """The situation that the simulated user plays."""
    verdict_required: bool = False
    """Whether the test must end with this judgment."""


class Submission(Struct, frozen=True, kw_only=True):
    """What is to be judged. All of it is data to every judge, never instructions."""

    task: str
    candidate: str = ""
    outputs: Mapping[str, object] = field(default_factory=dict)
    """JSON values by output key."""
    rubric: tuple[Criterion, ...] = ()
    messages: tuple[Message, ...] = ()
    """Oldest first, indexed from 0."""
    context: Mapping[str, object] = field(default_factory=dict)
    """Anything else the judges should see, as JSON values."""
    turn: Turn | None = None
    """The facts of the worker's turn; None where there is no run of turns."""
    process: ProcessResult | None = None
    """None where the candidate comes from no process."""
    policy_violations: tuple[str, ...] = ()
    """Tools that the caller's platform, and no judge, has denied in this run."""
    trace: tuple[Span, ...] = ()
    """What the worker did; empty where nobody traced it."""
    scenario: Scenario | None = None
    """None where the conversation is no test."""
