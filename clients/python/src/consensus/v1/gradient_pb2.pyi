from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FindingStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FINDING_STATUS_UNSPECIFIED: _ClassVar[FindingStatus]
    FINDING_STATUS_MET: _ClassVar[FindingStatus]
    FINDING_STATUS_UNMET: _ClassVar[FindingStatus]
    FINDING_STATUS_INCONCLUSIVE: _ClassVar[FindingStatus]
FINDING_STATUS_UNSPECIFIED: FindingStatus
FINDING_STATUS_MET: FindingStatus
FINDING_STATUS_UNMET: FindingStatus
FINDING_STATUS_INCONCLUSIVE: FindingStatus

class GradientResult(_message.Message):
    __slots__ = ("score", "confidence", "reasoning", "signals", "findings", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SCORE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    REASONING_FIELD_NUMBER: _ClassVar[int]
    SIGNALS_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    score: float
    confidence: float
    reasoning: str
    signals: _containers.RepeatedCompositeFieldContainer[Signal]
    findings: _containers.RepeatedCompositeFieldContainer[Finding]
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, score: _Optional[float] = ..., confidence: _Optional[float] = ..., reasoning: _Optional[str] = ..., signals: _Optional[_Iterable[_Union[Signal, _Mapping]]] = ..., findings: _Optional[_Iterable[_Union[Finding, _Mapping]]] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Signal(_message.Message):
    __slots__ = ("category", "score", "message")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    category: str
    score: float
    message: str
    def __init__(self, category: _Optional[str] = ..., score: _Optional[float] = ..., message: _Optional[str] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("criterion_id", "status", "evidence", "notes")
    CRITERION_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    criterion_id: str
    status: FindingStatus
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    notes: str
    def __init__(self, criterion_id: _Optional[str] = ..., status: _Optional[_Union[FindingStatus, str]] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., notes: _Optional[str] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("message_index", "quote", "span_id")
    MESSAGE_INDEX_FIELD_NUMBER: _ClassVar[int]
    QUOTE_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    message_index: int
    quote: str
    span_id: str
    def __init__(self, message_index: _Optional[int] = ..., quote: _Optional[str] = ..., span_id: _Optional[str] = ...) -> None: ...

class Abstention(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "cost_usd")
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CACHED_INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CACHE_WRITE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    REASONING_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COST_USD_FIELD_NUMBER: _ClassVar[int]
    input_tokens: int
    cached_input_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_usd: float
    def __init__(self, input_tokens: _Optional[int] = ..., cached_input_tokens: _Optional[int] = ..., cache_write_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., reasoning_tokens: _Optional[int] = ..., cost_usd: _Optional[float] = ...) -> None: ...
