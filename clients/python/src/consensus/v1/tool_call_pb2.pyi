from consensus.v1 import decision_pb2 as _decision_pb2
from consensus.v1 import submission_pb2 as _submission_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Denial(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DENIAL_UNSPECIFIED: _ClassVar[Denial]
    DENIAL_NO_RULE: _ClassVar[Denial]
    DENIAL_UNKNOWN_TOOL: _ClassVar[Denial]
    DENIAL_ARGUMENTS: _ClassVar[Denial]
    DENIAL_REJECTED: _ClassVar[Denial]
    DENIAL_NO_QUORUM: _ClassVar[Denial]
    DENIAL_FAILED: _ClassVar[Denial]
DENIAL_UNSPECIFIED: Denial
DENIAL_NO_RULE: Denial
DENIAL_UNKNOWN_TOOL: Denial
DENIAL_ARGUMENTS: Denial
DENIAL_REJECTED: Denial
DENIAL_NO_QUORUM: Denial
DENIAL_FAILED: Denial

class JudgeToolCallRequest(_message.Message):
    __slots__ = ("task", "call", "available_tools", "worker_mounts", "tool_audit_history", "rubric", "validation_context", "policy", "policy_violations", "execution_id")
    TASK_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_TOOLS_FIELD_NUMBER: _ClassVar[int]
    WORKER_MOUNTS_FIELD_NUMBER: _ClassVar[int]
    TOOL_AUDIT_HISTORY_FIELD_NUMBER: _ClassVar[int]
    RUBRIC_FIELD_NUMBER: _ClassVar[int]
    VALIDATION_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    POLICY_VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    task: str
    call: ProposedToolCall
    available_tools: _containers.RepeatedScalarFieldContainer[str]
    worker_mounts: _containers.RepeatedCompositeFieldContainer[WorkerMount]
    tool_audit_history: _containers.RepeatedCompositeFieldContainer[PastToolCall]
    rubric: _submission_pb2.Rubric
    validation_context: str
    policy: str
    policy_violations: _containers.RepeatedScalarFieldContainer[str]
    execution_id: str
    def __init__(self, task: _Optional[str] = ..., call: _Optional[_Union[ProposedToolCall, _Mapping]] = ..., available_tools: _Optional[_Iterable[str]] = ..., worker_mounts: _Optional[_Iterable[_Union[WorkerMount, _Mapping]]] = ..., tool_audit_history: _Optional[_Iterable[_Union[PastToolCall, _Mapping]]] = ..., rubric: _Optional[_Union[_submission_pb2.Rubric, _Mapping]] = ..., validation_context: _Optional[str] = ..., policy: _Optional[str] = ..., policy_violations: _Optional[_Iterable[str]] = ..., execution_id: _Optional[str] = ...) -> None: ...

class ProposedToolCall(_message.Message):
    __slots__ = ("name", "arguments", "arguments_json")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments: _struct_pb2.Struct
    arguments_json: str
    def __init__(self, name: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., arguments_json: _Optional[str] = ...) -> None: ...

class WorkerMount(_message.Message):
    __slots__ = ("path", "name", "read_only")
    PATH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    path: str
    name: str
    read_only: bool
    def __init__(self, path: _Optional[str] = ..., name: _Optional[str] = ..., read_only: bool = ...) -> None: ...

class PastToolCall(_message.Message):
    __slots__ = ("tool_name", "arguments_summary", "status", "result_summary", "error")
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    RESULT_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    tool_name: str
    arguments_summary: str
    status: str
    result_summary: str
    error: str
    def __init__(self, tool_name: _Optional[str] = ..., arguments_summary: _Optional[str] = ..., status: _Optional[str] = ..., result_summary: _Optional[str] = ..., error: _Optional[str] = ...) -> None: ...

class JudgeToolCallResponse(_message.Message):
    __slots__ = ("allowed", "decision", "retry_signal", "denial", "tool_rule", "checks", "tools_revision")
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    RETRY_SIGNAL_FIELD_NUMBER: _ClassVar[int]
    DENIAL_FIELD_NUMBER: _ClassVar[int]
    TOOL_RULE_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_REVISION_FIELD_NUMBER: _ClassVar[int]
    allowed: bool
    decision: _decision_pb2.Decision
    retry_signal: str
    denial: Denial
    tool_rule: str
    checks: _containers.RepeatedCompositeFieldContainer[_decision_pb2.CheckResult]
    tools_revision: str
    def __init__(self, allowed: bool = ..., decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., retry_signal: _Optional[str] = ..., denial: _Optional[_Union[Denial, str]] = ..., tool_rule: _Optional[str] = ..., checks: _Optional[_Iterable[_Union[_decision_pb2.CheckResult, _Mapping]]] = ..., tools_revision: _Optional[str] = ...) -> None: ...
