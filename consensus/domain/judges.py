"""Judges as configured: what each is made of, how it is reached, and with which habits."""

from collections.abc import Mapping

from msgspec import Struct, field


class BatchLimits(Struct, frozen=True, kw_only=True):
    """How calls to one backend are gathered; what arrives while batches are under way waits."""

    max_items: int = 64
    """1 switches batching off."""
    max_bytes: int = 2 << 20
    max_inflight: int = 2
    """Batches under way from which on arrivals wait for the next, for at most 0.05 s."""


class LimitHabit(Struct, frozen=True, kw_only=True):
    """At most so many calls of one judge at a time; more wait, and not for long."""

    concurrency: int
    max_wait_share: float = 0.1
    """Longest wait for a place, as a share of the call's time-out; 0 to 1."""


class RetryHabit(Struct, frozen=True, kw_only=True):
    """One more attempt after a passing failure, where the budget allows."""

    base_seconds: float = 0.2
    """The wait is random, from 0 to twice this."""
    cap_seconds: float = 2.0
    """Longest such wait."""
    budget_share: float = 0.2
    """Most retries as a share of the calls."""


class HedgeHabit(Struct, frozen=True, kw_only=True):
    """A second call before the first has failed, where the first is late."""

    quantile: float = 0.95
    """Later than this share of the earlier calls is late."""
    max_share: float = 0.05
    """Most extra calls as a share of the calls."""


class BreakerHabit(Struct, frozen=True, kw_only=True):
    """No calls for a while to a judge that keeps failing."""

    window_seconds: float = 30.0
    failure_share: float = 0.5
    min_calls: int = 10
    open_seconds: float = 10.0
    """Until the first probe; doubles up to `max_open_seconds`."""
    max_open_seconds: float = 120.0


class CacheHabit(Struct, frozen=True, kw_only=True):
    """The same answer to the same submission for a while."""

    ttl_seconds: float
    max_bytes: int = 16 << 20
    """Above it, the answers used longest ago are dropped."""


class Habits(Struct, frozen=True, kw_only=True):
    """What stands between the panel and a judge that waits; None switches one off."""

    limit: LimitHabit | None = None
    retry: RetryHabit | None = None
    hedge: HedgeHabit | None = None
    breaker: BreakerHabit | None = None
    cache: CacheHabit | None = None


class Price(Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens of one model, by kind; None means unknown."""

    input: float
    output: float
    cached_input: float | None = None
    """None: as `input`."""
    cache_write: float | None = None
    """None: as `input`."""


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a backend accepts. What it does not accept is never sent."""

    structured: str = "json_schema"
    """`json_schema`, `json_object`, `tool` or `none`."""
    temperature: bool = True
    seed: bool = False
    logprobs: bool = False
    max_tokens_name: str = "max_completion_tokens"
    """The parameter that bounds the reply; older servers say `max_tokens`."""
    tools: bool = False
    """Whether models may call tools, as many as they like."""


class BackendSpec(Struct, frozen=True, kw_only=True):
    """A model server over HTTP."""

    name: str
    kind: str
    """`openai_chat` or `anthropic_messages`."""
    base_url: str
    """Such as `https://api.openai.com/v1`, without a slash at the end."""
    api_key_file: str = ""
    """Read again when it changes; empty sends no key."""
    headers: Mapping[str, str] = field(default_factory=dict)
    capabilities: Capabilities = field(default_factory=Capabilities)
    concurrency: int = 64
    """Calls under way at a time, and connections."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """By model; a model that is not there costs an unknown amount, not nothing."""
    price_version: str = ""


class ProsePattern(Struct, frozen=True, kw_only=True):
    """What a reply in prose means, for judges that cannot answer in JSON."""

    match: str
    """RE2 expression."""
    score: float


class Discovery(Struct, frozen=True, kw_only=True):
    """How a model gets to know a trace, or a conversation, that is too long to be told."""

    token_threshold: int = 8_192
    """The largest estimate at which it is told whole."""
    max_steps: int = 0
    """Most calls in which it looks things up before it has to decide; 0: it cannot."""


class LlmSpec(Struct, frozen=True, kw_only=True):
    """How a model is asked, and how its reply is read."""

    backend: str
    model: str
    template: str = ""
    """Text of a prompt template; empty means the shipped one."""
    max_tokens: int = 800
    temperature: float | None = 0.0
    """None sends none."""
    reply: str = "json"
    """`json` or `patterns`."""
    patterns: tuple[ProsePattern, ...] = ()
    missing_confidence: float | None = None
    """What a reply without a confidence counts as; None fails the seat."""
    missing_findings: str = "unmet"
    """What a required criterion counts as that the reply leaves out: `unmet` or `inconclusive`."""
    evidence: str = "optional"
    """`required`: a MET finding without a located quotation is INCONCLUSIVE."""
    scoring: str = "parsed"
    """`parsed` or `logprobs`."""
    samples: int = 1
    """Above 1: self-consistency over so many replies."""
    second_pass: str = "none"
    """`none`, `reorder` or `paraphrase`."""
    token_budget: int = 16_000
    """Above this estimate only the last messages are sent whole."""
    keep_messages: int = 20
    discovery: Discovery = field(default_factory=Discovery)
    trace_layout: str = "framed"
    """`framed`, or `bare`: without header, times, ids of roots and the list of errors."""


class JudgeSpec(Struct, frozen=True, kw_only=True):
    """A judge as configured."""

    name: str
    kind: str
    """`embedded`, `remote` (JudgeService, a leaf), `llm`, `policy` (a panel in this process) or
    `consensus` (a panel of another consensus server)."""
    target: str = ""
    """Where a remote judge serves JudgeService, as a gRPC target."""
    remote_judge: str = ""
    """Which of the backend's judges; empty means its default."""
    tls: bool = False
    tls_ca_file: str = ""
    """Certificates to trust; empty means the system's."""
    tls_server_name: str = ""
    """Name to expect in the certificate, when it is not the target's."""
    tls_cert_file: str = ""
    """Our own certificate, for mutual TLS."""
    tls_key_file: str = ""
    batch: BatchLimits = field(default_factory=BatchLimits)
    health_check: bool = False
    """Ask every replica of a headless service for its health before sending it calls."""
    policy: str = ""
    """Which policy of this file a nested panel is."""
    llm: LlmSpec | None = None
    habits: Habits = field(default_factory=Habits)
