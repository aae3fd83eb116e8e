from consensus.v1 import gradient_pb2 as _gradient_pb2
from consensus.v1 import submission_pb2 as _submission_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EvaluateRequest(_message.Message):
    __slots__ = ("judge", "submission", "hierarchy")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    HIERARCHY_FIELD_NUMBER: _ClassVar[int]
    judge: str
    submission: _submission_pb2.Submission
    hierarchy: Hierarchy
    def __init__(self, judge: _Optional[str] = ..., submission: _Optional[_Union[_submission_pb2.Submission, _Mapping]] = ..., hierarchy: _Optional[_Union[Hierarchy, _Mapping]] = ...) -> None: ...

class EvaluateResponse(_message.Message):
    __slots__ = ("gradient", "abstention", "usage")
    GRADIENT_FIELD_NUMBER: _ClassVar[int]
    ABSTENTION_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    gradient: _gradient_pb2.GradientResult
    abstention: _gradient_pb2.Abstention
    usage: _gradient_pb2.Usage
    def __init__(self, gradient: _Optional[_Union[_gradient_pb2.GradientResult, _Mapping]] = ..., abstention: _Optional[_Union[_gradient_pb2.Abstention, _Mapping]] = ..., usage: _Optional[_Union[_gradient_pb2.Usage, _Mapping]] = ...) -> None: ...

class EvaluateBatchRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[EvaluateRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[EvaluateRequest, _Mapping]]] = ...) -> None: ...

class EvaluateBatchResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[EvaluateBatchResult]
    def __init__(self, results: _Optional[_Iterable[_Union[EvaluateBatchResult, _Mapping]]] = ...) -> None: ...

class EvaluateBatchResult(_message.Message):
    __slots__ = ("response", "error")
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    response: EvaluateResponse
    error: ItemError
    def __init__(self, response: _Optional[_Union[EvaluateResponse, _Mapping]] = ..., error: _Optional[_Union[ItemError, _Mapping]] = ...) -> None: ...

class ItemError(_message.Message):
    __slots__ = ("code", "reason", "message", "violations")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: str
    message: str
    violations: _containers.RepeatedCompositeFieldContainer[FieldViolation]
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., violations: _Optional[_Iterable[_Union[FieldViolation, _Mapping]]] = ...) -> None: ...

class FieldViolation(_message.Message):
    __slots__ = ("field", "description")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    field: str
    description: str
    def __init__(self, field: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class DescribeJudgeRequest(_message.Message):
    __slots__ = ("judge",)
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    judge: str
    def __init__(self, judge: _Optional[str] = ...) -> None: ...

class DescribeJudgeResponse(_message.Message):
    __slots__ = ("judge", "kind", "description", "revision")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    judge: str
    kind: str
    description: str
    revision: str
    def __init__(self, judge: _Optional[str] = ..., kind: _Optional[str] = ..., description: _Optional[str] = ..., revision: _Optional[str] = ...) -> None: ...

class Hierarchy(_message.Message):
    __slots__ = ("parent_decision_id", "depth", "path")
    PARENT_DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    parent_decision_id: str
    depth: int
    path: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, parent_decision_id: _Optional[str] = ..., depth: _Optional[int] = ..., path: _Optional[_Iterable[str]] = ...) -> None: ...
