from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckTarget(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHECK_TARGET_UNSPECIFIED: _ClassVar[CheckTarget]
    CHECK_TARGET_CANDIDATE: _ClassVar[CheckTarget]
    CHECK_TARGET_STDERR: _ClassVar[CheckTarget]

class GoalStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GOAL_STATUS_UNSPECIFIED: _ClassVar[GoalStatus]
    GOAL_STATUS_COMPLETE: _ClassVar[GoalStatus]
    GOAL_STATUS_PARTIAL: _ClassVar[GoalStatus]
    GOAL_STATUS_NOT_YET: _ClassVar[GoalStatus]
    GOAL_STATUS_REFUSAL: _ClassVar[GoalStatus]
    GOAL_STATUS_UNKNOWN: _ClassVar[GoalStatus]
CHECK_TARGET_UNSPECIFIED: CheckTarget
CHECK_TARGET_CANDIDATE: CheckTarget
CHECK_TARGET_STDERR: CheckTarget
GOAL_STATUS_UNSPECIFIED: GoalStatus
GOAL_STATUS_COMPLETE: GoalStatus
GOAL_STATUS_PARTIAL: GoalStatus
GOAL_STATUS_NOT_YET: GoalStatus
GOAL_STATUS_REFUSAL: GoalStatus
GOAL_STATUS_UNKNOWN: GoalStatus

class Submission(_message.Message):
    __slots__ = ("task", "candidate", "outputs", "rubric", "messages", "context", "turn", "process", "policy_violations", "trace", "scenario")
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
    TURN_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    POLICY_VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    SCENARIO_FIELD_NUMBER: _ClassVar[int]
    task: str
    candidate: str
    outputs: _containers.MessageMap[str, _struct_pb2.Value]
    rubric: Rubric
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    context: _struct_pb2.Struct
    turn: Turn
    process: ProcessResult
    policy_violations: _containers.RepeatedScalarFieldContainer[str]
    trace: Trace
    scenario: Scenario
    def __init__(self, task: _Optional[str] = ..., candidate: _Optional[str] = ..., outputs: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., rubric: _Optional[_Union[Rubric, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., context: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., turn: _Optional[_Union[Turn, _Mapping]] = ..., process: _Optional[_Union[ProcessResult, _Mapping]] = ..., policy_violations: _Optional[_Iterable[str]] = ..., trace: _Optional[_Union[Trace, _Mapping]] = ..., scenario: _Optional[_Union[Scenario, _Mapping]] = ...) -> None: ...

class ProcessResult(_message.Message):
    __slots__ = ("exit_code", "stderr")
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    exit_code: int
    stderr: str
    def __init__(self, exit_code: _Optional[int] = ..., stderr: _Optional[str] = ...) -> None: ...

class Trace(_message.Message):
    __slots__ = ("otlp_protobuf", "otlp_json")
    OTLP_PROTOBUF_FIELD_NUMBER: _ClassVar[int]
    OTLP_JSON_FIELD_NUMBER: _ClassVar[int]
    otlp_protobuf: bytes
    otlp_json: str
    def __init__(self, otlp_protobuf: _Optional[bytes] = ..., otlp_json: _Optional[str] = ...) -> None: ...

class Scenario(_message.Message):
    __slots__ = ("description", "verdict_required")
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    VERDICT_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    description: str
    verdict_required: bool
    def __init__(self, description: _Optional[str] = ..., verdict_required: bool = ...) -> None: ...

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
    __slots__ = ("output", "target", "contains", "contains_all", "not_contains", "regex", "json_schema", "numeric", "length", "code_block", "exit_code", "sql", "url", "code_run")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_ALL_FIELD_NUMBER: _ClassVar[int]
    NOT_CONTAINS_FIELD_NUMBER: _ClassVar[int]
    REGEX_FIELD_NUMBER: _ClassVar[int]
    JSON_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    NUMERIC_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    CODE_BLOCK_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    CODE_RUN_FIELD_NUMBER: _ClassVar[int]
    output: str
    target: CheckTarget
    contains: str
    contains_all: TextList
    not_contains: str
    regex: str
    json_schema: _struct_pb2.Struct
    numeric: NumericAnswer
    length: LengthLimit
    code_block: str
    exit_code: ExitCode
    sql: SqlQuery
    url: UrlAnswer
    code_run: CodeRun
    def __init__(self, output: _Optional[str] = ..., target: _Optional[_Union[CheckTarget, str]] = ..., contains: _Optional[str] = ..., contains_all: _Optional[_Union[TextList, _Mapping]] = ..., not_contains: _Optional[str] = ..., regex: _Optional[str] = ..., json_schema: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., numeric: _Optional[_Union[NumericAnswer, _Mapping]] = ..., length: _Optional[_Union[LengthLimit, _Mapping]] = ..., code_block: _Optional[str] = ..., exit_code: _Optional[_Union[ExitCode, _Mapping]] = ..., sql: _Optional[_Union[SqlQuery, _Mapping]] = ..., url: _Optional[_Union[UrlAnswer, _Mapping]] = ..., code_run: _Optional[_Union[CodeRun, _Mapping]] = ...) -> None: ...

class ExitCode(_message.Message):
    __slots__ = ("expected", "stderr_score", "min_score")
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    STDERR_SCORE_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    expected: int
    stderr_score: float
    min_score: float
    def __init__(self, expected: _Optional[int] = ..., stderr_score: _Optional[float] = ..., min_score: _Optional[float] = ...) -> None: ...

class SqlQuery(_message.Message):
    __slots__ = ("setup", "columns", "min_rows")
    SETUP_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    MIN_ROWS_FIELD_NUMBER: _ClassVar[int]
    setup: str
    columns: _containers.RepeatedScalarFieldContainer[str]
    min_rows: int
    def __init__(self, setup: _Optional[str] = ..., columns: _Optional[_Iterable[str]] = ..., min_rows: _Optional[int] = ...) -> None: ...

class UrlAnswer(_message.Message):
    __slots__ = ("contains",)
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    contains: str
    def __init__(self, contains: _Optional[str] = ...) -> None: ...

class CodeRun(_message.Message):
    __slots__ = ("language", "test")
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    language: str
    test: str
    def __init__(self, language: _Optional[str] = ..., test: _Optional[str] = ...) -> None: ...

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

class Turn(_message.Message):
    __slots__ = ("iteration", "max_iterations", "judge_every_n_turns", "tool_calls", "output_keys", "client_facing", "success_criteria", "node_description", "earlier")
    ITERATION_FIELD_NUMBER: _ClassVar[int]
    MAX_ITERATIONS_FIELD_NUMBER: _ClassVar[int]
    JUDGE_EVERY_N_TURNS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_KEYS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FACING_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_CRITERIA_FIELD_NUMBER: _ClassVar[int]
    NODE_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EARLIER_FIELD_NUMBER: _ClassVar[int]
    iteration: int
    max_iterations: int
    judge_every_n_turns: int
    tool_calls: _containers.RepeatedCompositeFieldContainer[ToolCall]
    output_keys: _containers.RepeatedCompositeFieldContainer[OutputKey]
    client_facing: bool
    success_criteria: str
    node_description: str
    earlier: _containers.RepeatedCompositeFieldContainer[EarlierTurn]
    def __init__(self, iteration: _Optional[int] = ..., max_iterations: _Optional[int] = ..., judge_every_n_turns: _Optional[int] = ..., tool_calls: _Optional[_Iterable[_Union[ToolCall, _Mapping]]] = ..., output_keys: _Optional[_Iterable[_Union[OutputKey, _Mapping]]] = ..., client_facing: bool = ..., success_criteria: _Optional[str] = ..., node_description: _Optional[str] = ..., earlier: _Optional[_Iterable[_Union[EarlierTurn, _Mapping]]] = ...) -> None: ...

class EarlierTurn(_message.Message):
    __slots__ = ("text", "tool_calls", "criteria_met", "goal_status", "goal_confidence")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    CRITERIA_MET_FIELD_NUMBER: _ClassVar[int]
    GOAL_STATUS_FIELD_NUMBER: _ClassVar[int]
    GOAL_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    text: str
    tool_calls: _containers.RepeatedCompositeFieldContainer[ToolCall]
    criteria_met: int
    goal_status: GoalStatus
    goal_confidence: float
    def __init__(self, text: _Optional[str] = ..., tool_calls: _Optional[_Iterable[_Union[ToolCall, _Mapping]]] = ..., criteria_met: _Optional[int] = ..., goal_status: _Optional[_Union[GoalStatus, str]] = ..., goal_confidence: _Optional[float] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("name", "arguments", "failed")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments: str
    failed: bool
    def __init__(self, name: _Optional[str] = ..., arguments: _Optional[str] = ..., failed: bool = ...) -> None: ...

class OutputKey(_message.Message):
    __slots__ = ("name", "nullable")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NULLABLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    nullable: bool
    def __init__(self, name: _Optional[str] = ..., nullable: bool = ...) -> None: ...
