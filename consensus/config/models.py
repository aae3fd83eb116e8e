"""What only makes sense together in how a model is asked."""

from collections.abc import Iterator

from consensus.config.bench import BackendSection, DiscoverySection, JudgeSection
from consensus.domain.judges import Discovery
from consensus.domain.ports import CheckFaults
from consensus.domain.submission import Check, Regex
from consensus.domain.templates import template_faults

DEFAULT_STEPS = 10


def discovery_of(section: DiscoverySection, backend: BackendSection | None) -> Discovery:
    """Return how long traces are told to a judge of this backend."""
    steps = section.max_steps
    if steps is None:
        steps = DEFAULT_STEPS if backend and backend.capabilities.tools else 0
    return Discovery(token_threshold=section.token_threshold, max_steps=steps)


def model_faults(
    section: JudgeSection,
    backend: BackendSection | None,
    template: str,
    check_faults: CheckFaults,
) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) of an `llm` judge; `template` is blank where none was read."""
    if section.samples > 1 and section.temperature == 0:
        yield "temperature", "is 0; samples above 1 need it above 0, or null, to differ"
    if section.scoring == "logprobs" and backend and not backend.capabilities.logprobs:
        words = "needs `capabilities.logprobs` of the backend, which is false"
        yield "scoring", f"is 'logprobs'; {words}"
    steps = section.discovery.max_steps
    if steps and backend and not backend.capabilities.tools:
        words = "needs `capabilities.tools` of the backend, which is false"
        yield "discovery.max_steps", f"is {steps}; {words}"
    if template.strip():
        for words in template_faults(template, json=section.reply == "json"):
            yield "template_file", words
    if section.reply == "patterns":
        yield from _prose_faults(section)
    elif section.patterns:
        yield "patterns", "have no meaning without reply: patterns"
    for index, pattern in enumerate(section.patterns):
        for _, words in check_faults(Check(Regex(pattern.match))):
            yield f"patterns[{index}].match", words


def _prose_faults(section: JudgeSection) -> Iterator[tuple[str, str]]:
    if not section.patterns:
        yield "patterns", "are missing; reply: patterns needs them"
    if not section.template_file:
        yield (
            "template_file",
            "is missing; reply: patterns needs one, for the shipped asks for JSON",
        )
    if section.missing_confidence is None and section.samples == 1:
        words = "is missing; prose states no confidence, so reply: patterns needs it"
        yield "missing_confidence", words
    if section.scoring == "logprobs":
        yield "scoring", "is 'logprobs'; that needs reply: json"
