from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Submission(_message.Message):
    __slots__ = ("task", "candidate", "outputs", "rubric", "messages", "context")
    class OutputsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    TASK_FIELD_NUMBER: _ClassVar[int]
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    RUBRIC_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    task: str
    candidate: str
    outputs: _containers.MessageMap[str, _struct_pb2.Value]
    rubric: Rubric
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    context: _struct_pb2.Struct
    def __init__(self, task: _Optional[str] = ..., candidate: _Optional[str] = ..., outputs: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., rubric: _Optional[_Union[Rubric, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Rubric(_message.Message):
    __slots__ = ("criteria",)
    CRITERIA_FIELD_NUMBER: _ClassVar[int]
    criteria: _containers.RepeatedCompositeFieldContainer[Criterion]
    def __init__(self, criteria: _Optional[_Iterable[_Union[Criterion, _Mapping]]] = ...) -> None: ...

class Criterion(_message.Message):
    __slots__ = ("id", "text", "required", "weight", "checks")
    ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    id: str
    text: str
    required: bool
    weight: float
    checks: _containers.RepeatedCompositeFieldContainer[Check]
    def __init__(self, id: _Optional[str] = ..., text: _Optional[str] = ..., required: bool = ..., weight: _Optional[float] = ..., checks: _Optional[_Iterable[_Union[Check, _Mapping]]] = ...) -> None: ...

class Check(_message.Message):
    __slots__ = ("output", "contains", "contains_all", "not_contains", "regex", "json_schema", "numeric", "length", "code_block")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_ALL_FIELD_NUMBER: _ClassVar[int]
    NOT_CONTAINS_FIELD_NUMBER: _ClassVar[int]
    REGEX_FIELD_NUMBER: _ClassVar[int]
    JSON_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    NUMERIC_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    CODE_BLOCK_FIELD_NUMBER: _ClassVar[int]
    output: str
    contains: str
    contains_all: TextList
    not_contains: str
    regex: str
    json_schema: _struct_pb2.Struct
    numeric: NumericAnswer
    length: LengthLimit
    code_block: str
    def __init__(self, output: _Optional[str] = ..., contains: _Optional[str] = ..., contains_all: _Optional[_Union[TextList, _Mapping]] = ..., not_contains: _Optional[str] = ..., regex: _Optional[str] = ..., json_schema: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., numeric: _Optional[_Union[NumericAnswer, _Mapping]] = ..., length: _Optional[_Union[LengthLimit, _Mapping]] = ..., code_block: _Optional[str] = ...) -> None: ...

class TextList(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...

class NumericAnswer(_message.Message):
    __slots__ = ("value", "tolerance")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TOLERANCE_FIELD_NUMBER: _ClassVar[int]
    value: float
    tolerance: float
    def __init__(self, value: _Optional[float] = ..., tolerance: _Optional[float] = ...) -> None: ...

class LengthLimit(_message.Message):
    __slots__ = ("min_words", "max_words", "min_chars", "max_chars")
    MIN_WORDS_FIELD_NUMBER: _ClassVar[int]
    MAX_WORDS_FIELD_NUMBER: _ClassVar[int]
    MIN_CHARS_FIELD_NUMBER: _ClassVar[int]
    MAX_CHARS_FIELD_NUMBER: _ClassVar[int]
    min_words: int
    max_words: int
    min_chars: int
    max_chars: int
    def __init__(self, min_words: _Optional[int] = ..., max_words: _Optional[int] = ..., min_chars: _Optional[int] = ..., max_chars: _Optional[int] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("role", "content")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    role: str
    content: str
    def __init__(self, role: _Optional[str] = ..., content: _Optional[str] = ...) -> None: ...
