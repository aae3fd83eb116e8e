"""THE EVIDENCE: span tree -> digest under a token budget; expand, grep; so for transcripts too."""

from consensus.traces.digest import Digest, digest
from consensus.traces.search import Finds, expand_trace, grep_trace, span_text
from consensus.traces.spans import Trace
from consensus.traces.transcript import expand_transcript, grep_transcript, transcript_digest

__all__ = [
    "Digest",
    "Finds",
    "Trace",
    "digest",
    "expand_trace",
    "expand_transcript",
    "grep_trace",
    "grep_transcript",
    "span_text",
    "transcript_digest",
]
