"""JSON Schema (draft 2020-12) that no schema and no document can make hang or crash.

The usual library takes a second to look over 90 KB of schema, searches with backtracking
expressions, and quotes whole documents in messages that nobody reads: 35 s for a thousand `anyOf`
over 4 MB. Here every step costs effort, patterns run on RE2 and references stay in the schema.
"""

from collections.abc import Mapping

from consensus.validators.effort import Effort
from consensus.validators.schema.reader import MAX_NESTING, Reader, TooDeepError
from consensus.validators.schema.soundness import UnsoundSchemaError, require_sound


def schema_fault(schema: Mapping[str, object], effort: Effort) -> str:
    """Return what is wrong with a schema, or an empty string. Raises EffortSpentError."""
    try:
        require_sound(schema, effort)
    except UnsoundSchemaError as error:
        return str(error)
    return ""


def document_fault(schema: Mapping[str, object], document: object, effort: Effort) -> str:
    """Return what is wrong with a document, or an empty string. Raises EffortSpentError."""
    try:
        require_sound(schema, effort)
        fault = Reader(schema, effort).fault(schema, document)
    except UnsoundSchemaError as error:
        return f"the schema is unsound: {error}"
    except (TooDeepError, RecursionError):
        return f"schema and document together are nested deeper than {MAX_NESTING} levels"
    return "" if fault is None else f"${fault.path} {fault.words}"


__all__ = ["document_fault", "schema_fault"]
