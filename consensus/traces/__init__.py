"""THE EVIDENCE: span tree -> digest under a token budget; expand, grep; so for transcripts too."""

from consensus.traces.digest import Digest, digest
from consensus.traces.keeping import digest_of, is_large, kept, trace_of
from consensus.traces.search import Finds, expand_trace, grep_trace, span_text
from consensus.traces.spans import Trace
from consensus.traces.transcript import (
    expand_transcript,
    grep_transcript,
    message_text,
    transcript_digest,
)

__all__ = [
    "Digest",
    "Finds",
    "Trace",
    "digest",
    "digest_of",
    "expand_trace",
    "expand_transcript",
    "grep_trace",
    "grep_transcript",
    "is_large",
    "kept",
    "message_text",
    "span_text",
    "trace_of",
    "transcript_digest",
]
