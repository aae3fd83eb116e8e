"""The shape of the judges and model servers in the policy file.

Which keys belong to which kind of judge is checked in judges.py.
"""

from typing import Literal

from pydantic import Field

from consensus.config.habits import HabitKeys
from consensus.config.section import Name, Section, Unit


class TlsSection(Section):
    """How to secure the connection to a remote judge. Certificates may be rotated."""

    ca_file: str = Field(
        "",
        description="PEM file of certificates to trust, relative to the policy file."
        " Empty: the system's.",
    )
    server_name: str = Field(
        "", description="Name to expect in the judge's certificate, when it is not the target's."
    )
    cert_file: str = Field(
        "", description="PEM file of our own certificate, for mutual TLS. With `key_file`."
    )
    key_file: str = Field("", description="PEM file of the key of `cert_file`.")


class BatchSection(Section):
    """How calls to a remote judge are gathered: what arrives while batches are under way waits for
    the next one, and a busy server gathers, both for up to 0.05 s. An idle judge is asked at once.
    Judges that agree on all keys of the connection and of this section share both. A judge without
    batches (UNIMPLEMENTED) is asked one by one, and tried with one batch again every 10 minutes.
    A batch is answered as a whole, when its slowest item is, so a judge whose calls take longer
    than 0.25 s shares none with other judges; `max_items: 1` asks every item in a call of its own.
    """

    max_items: int = Field(64, ge=1, le=1_000, description="Most items. 1: no batches.")
    max_bytes: int = Field(2 << 20, ge=1_024, le=64 << 20, description="Most bytes of a batch.")
    max_inflight: int = Field(
        2, ge=1, le=64, description="Batches under way from which on arrivals wait for the next."
    )


class RemoteKeys(Section):
    """Keys of judges behind gRPC: `remote` and `consensus`."""

    target: str | None = Field(
        None,
        min_length=1,
        max_length=500,
        description="Where it listens, as a gRPC target, such as `dns:///judge:50061` or"
        " `unix:/run/judge.sock`. For `remote` and `consensus`.",
    )
    judge: str = Field(
        "",
        max_length=64,
        description="Which of the backend's judges to ask; of a consensus server, which policy."
        " Empty: its default. `consensus check --live` asks whether there is one of that name.",
    )
    tls: TlsSection | None = Field(None, description="Connect with TLS. Absent: plaintext.")
    health_check: bool = Field(
        False,
        description="Leave out replicas whose health service says that `consensus.v1.JudgeService`"
        " is not serving. For headless services.",
    )
    batch: BatchSection = Field(BatchSection(), description="How calls are gathered.")


class PatternSection(Section):
    """What a reply in prose means."""

    match: str = Field(min_length=1, max_length=1_000, description="RE2 expression.")
    score: Unit = Field(description="The score of a reply that it matches.")


class DiscoverySection(Section):
    """How a model gets to know a trace, or a conversation, that is too long to be told."""

    max_steps: int | None = Field(
        None,
        ge=0,
        le=50,
        description="Most calls in which it looks things up before it has to decide. 0: it cannot."
        " Absent: 10 where the backend's capabilities have `tools`, else 0.",
    )
    token_threshold: int = Field(
        8_192,
        ge=0,
        le=1_000_000,
        description="The largest estimate at which a trace is told whole; above it, its tree alone."
        " A conversation too, where things can be looked up.",
    )


class LlmKeys(Section):
    """Keys of judges that are models: `llm`."""

    backend: Name | None = Field(None, description="One of `backends`. For `llm`.")
    model: str | None = Field(
        None, min_length=1, max_length=200, description="The model's name there. For `llm`."
    )
    template_file: str = Field(
        "",
        description="File of a prompt template (docs/llm-judges.md), relative to the policy file."
        " Empty: the shipped one.",
    )
    max_tokens: int = Field(800, ge=16, le=100_000, description="Most tokens of a reply.")
    temperature: float | None = Field(
        0.0, ge=0, le=2, description="Sampling temperature; null sends none."
    )
    reply: Literal["json", "patterns"] = Field(
        "json",
        description="`patterns`: for models that cannot answer in JSON; needs `patterns`,"
        " `template_file` and `missing_confidence`.",
    )
    patterns: list[PatternSection] = Field(
        [],
        max_length=64,
        description="What replies in prose mean: the one whose match ends last counts, and of"
        " several that end there the first.",
    )
    missing_confidence: Unit | None = Field(
        None,
        description="What a reply without a confidence counts as, such as 0.8. Absent: the seat"
        " fails.",
    )
    missing_findings: Literal["unmet", "inconclusive"] = Field(
        "unmet", description="What a required criterion counts as that a reply leaves out."
    )
    evidence: Literal["optional", "required"] = Field(
        "optional",
        description="`required`: a MET finding without a located quotation is INCONCLUSIVE.",
    )
    scoring: Literal["parsed", "logprobs"] = Field(
        "parsed",
        description="`logprobs`: the expectation over the score token, where the backend tells"
        " enough of it; else as parsed.",
    )
    samples: int = Field(
        1,
        ge=1,
        le=16,
        description="Above 1: the mean of so many replies; their spread is the confidence.",
    )
    second_pass: Literal["none", "reorder", "paraphrase"] = Field(
        "none", description="Ask again in other words or order, average, and record a flip."
    )
    token_budget: int = Field(
        16_000,
        ge=500,
        le=1_000_000,
        description="Above this estimate only the last messages are sent whole.",
    )
    keep_messages: int = Field(
        20, ge=1, le=1_000, description="How many messages are then sent whole."
    )
    discovery: DiscoverySection = Field(
        DiscoverySection(), description="What becomes of long traces and conversations."
    )
    trace_layout: Literal["framed", "bare"] = Field(
        "framed",
        description="`bare`: traces without header, times, ids of roots and the list of errors.",
    )


class JudgeSection(RemoteKeys, LlmKeys, HabitKeys):
    """A judge that seats can name. `checks`, `coverage` and `conduct` exist without a section."""

    kind: Literal["remote", "llm", "policy", "consensus"] = Field(
        description="`remote`: serves `consensus.v1.JudgeService`; `llm`: a model behind one of"
        " `backends`; `policy`: a policy of this file as a nested panel; `consensus`: a policy of"
        " another consensus server."
    )
    policy: Name | None = Field(None, description="One of `policies`. For `policy`.")


class PriceSection(Section):
    """US dollars for a million tokens."""

    input: float = Field(ge=0, description="Of the prompt.")
    output: float = Field(ge=0, description="Of the reply, reasoning included.")
    cached_input: float | None = Field(
        None, ge=0, description="Of a prompt from the provider's cache. Absent: as `input`."
    )
    cache_write: float | None = Field(
        None, ge=0, description="Of a prompt written to the cache. Absent: as `input`."
    )


class CapabilitiesSection(Section):
    """What a backend accepts; anything else is never sent. `consensus check --live` finds out."""

    structured: Literal["json_schema", "json_object", "tool", "none"] = Field(
        "json_schema", description="How it is made to answer in JSON."
    )
    temperature: bool = Field(True, description="Whether it takes a temperature.")
    seed: bool = Field(False, description="Whether it takes a seed.")
    logprobs: bool = Field(False, description="Whether it tells log probabilities.")
    max_tokens_name: Literal["max_completion_tokens", "max_tokens"] = Field(
        "max_completion_tokens", description="Its name for the bound of the reply."
    )
    tools: bool = Field(
        False,
        description="Whether models may call tools: then they look up what of a long trace or"
        " conversation they need.",
    )


class BackendSection(Section):
    """A model server over HTTP."""

    kind: Literal["openai_chat", "anthropic_messages"] = Field(
        description="`openai_chat`: OpenAI, Azure v1, vLLM, llama.cpp, Ollama, OpenRouter;"
        " `anthropic_messages`: Anthropic."
    )
    base_url: str = Field(
        min_length=1,
        max_length=500,
        description="Up to and with `/v1`, such as `https://api.openai.com/v1`.",
    )
    api_key_file: str = Field(
        "",
        description="File of the key, relative to the policy file, read again when it changes."
        " Empty: no key is sent.",
    )
    headers: dict[str, str] = Field({}, description="More headers; none may be a secret.")
    capabilities: CapabilitiesSection = Field(CapabilitiesSection(), description="What it accepts.")
    concurrency: int = Field(64, ge=1, le=10_000, description="Most calls at a time.")
    prices: dict[str, PriceSection] = Field(
        {}, description="By model. A model without one costs an unknown amount, not nothing."
    )
    price_version: str = Field("", max_length=64, description="Where the prices are from.")
