import datetime

from consensus.v1 import decision_pb2 as _decision_pb2
from consensus.v1 import judge_pb2 as _judge_pb2
from consensus.v1 import submission_pb2 as _submission_pb2
from consensus.v1 import tool_call_pb2 as _tool_call_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JudgeRequest(_message.Message):
    __slots__ = ("submission", "policy", "overrides", "request_id", "derive_criteria", "max_cost_usd", "include_validation_results")
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    OVERRIDES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DERIVE_CRITERIA_FIELD_NUMBER: _ClassVar[int]
    MAX_COST_USD_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_VALIDATION_RESULTS_FIELD_NUMBER: _ClassVar[int]
    submission: _submission_pb2.Submission
    policy: str
    overrides: Overrides
    request_id: str
    derive_criteria: DeriveCriteria
    max_cost_usd: float
    include_validation_results: bool
    def __init__(self, submission: _Optional[_Union[_submission_pb2.Submission, _Mapping]] = ..., policy: _Optional[str] = ..., overrides: _Optional[_Union[Overrides, _Mapping]] = ..., request_id: _Optional[str] = ..., derive_criteria: _Optional[_Union[DeriveCriteria, _Mapping]] = ..., max_cost_usd: _Optional[float] = ..., include_validation_results: bool = ...) -> None: ...

class DeriveCriteria(_message.Message):
    __slots__ = ("judge", "max_criteria")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    MAX_CRITERIA_FIELD_NUMBER: _ClassVar[int]
    judge: str
    max_criteria: int
    def __init__(self, judge: _Optional[str] = ..., max_criteria: _Optional[int] = ...) -> None: ...

class JudgeResponse(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: _decision_pb2.Decision
    def __init__(self, decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ...) -> None: ...

class StreamJudgeRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: JudgeRequest
    def __init__(self, request: _Optional[_Union[JudgeRequest, _Mapping]] = ...) -> None: ...

class StreamJudgeResponse(_message.Message):
    __slots__ = ("seat_started", "seat_finished", "stage_finished", "decision", "state_changed")
    SEAT_STARTED_FIELD_NUMBER: _ClassVar[int]
    SEAT_FINISHED_FIELD_NUMBER: _ClassVar[int]
    STAGE_FINISHED_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    STATE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    seat_started: SeatStarted
    seat_finished: SeatFinished
    stage_finished: StageFinished
    decision: _decision_pb2.Decision
    state_changed: StateChanged
    def __init__(self, seat_started: _Optional[_Union[SeatStarted, _Mapping]] = ..., seat_finished: _Optional[_Union[SeatFinished, _Mapping]] = ..., stage_finished: _Optional[_Union[StageFinished, _Mapping]] = ..., decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., state_changed: _Optional[_Union[StateChanged, _Mapping]] = ...) -> None: ...

class StateChanged(_message.Message):
    __slots__ = ("state", "time")
    STATE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    state: _decision_pb2.ExecutionState
    time: _timestamp_pb2.Timestamp
    def __init__(self, state: _Optional[_Union[_decision_pb2.ExecutionState, str]] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SeatStarted(_message.Message):
    __slots__ = ("stage", "judge", "child")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    CHILD_FIELD_NUMBER: _ClassVar[int]
    stage: str
    judge: str
    child: ChildExecution
    def __init__(self, stage: _Optional[str] = ..., judge: _Optional[str] = ..., child: _Optional[_Union[ChildExecution, _Mapping]] = ...) -> None: ...

class ChildExecution(_message.Message):
    __slots__ = ("execution_id", "parent_decision_id", "depth", "path", "start_time", "end_time")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    parent_decision_id: str
    depth: int
    path: _containers.RepeatedScalarFieldContainer[str]
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, execution_id: _Optional[str] = ..., parent_decision_id: _Optional[str] = ..., depth: _Optional[int] = ..., path: _Optional[_Iterable[str]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SeatFinished(_message.Message):
    __slots__ = ("stage", "seat", "child")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CHILD_FIELD_NUMBER: _ClassVar[int]
    stage: str
    seat: _decision_pb2.SeatResult
    child: ChildExecution
    def __init__(self, stage: _Optional[str] = ..., seat: _Optional[_Union[_decision_pb2.SeatResult, _Mapping]] = ..., child: _Optional[_Union[ChildExecution, _Mapping]] = ...) -> None: ...

class StageFinished(_message.Message):
    __slots__ = ("stage",)
    STAGE_FIELD_NUMBER: _ClassVar[int]
    stage: _decision_pb2.StageResult
    def __init__(self, stage: _Optional[_Union[_decision_pb2.StageResult, _Mapping]] = ...) -> None: ...

class BatchJudgeRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[JudgeRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[JudgeRequest, _Mapping]]] = ...) -> None: ...

class BatchJudgeResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[BatchJudgeResult]
    def __init__(self, results: _Optional[_Iterable[_Union[BatchJudgeResult, _Mapping]]] = ...) -> None: ...

class BatchJudgeResult(_message.Message):
    __slots__ = ("decision", "error")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    decision: _decision_pb2.Decision
    error: _judge_pb2.ItemError
    def __init__(self, decision: _Optional[_Union[_decision_pb2.Decision, _Mapping]] = ..., error: _Optional[_Union[_judge_pb2.ItemError, _Mapping]] = ...) -> None: ...

class Overrides(_message.Message):
    __slots__ = ("strategy", "threshold", "n", "min_score", "min_confidence", "min_agreement")
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    N_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MIN_AGREEMENT_FIELD_NUMBER: _ClassVar[int]
    strategy: _decision_pb2.Strategy
    threshold: float
    n: int
    min_score: float
    min_confidence: float
    min_agreement: float
    def __init__(self, strategy: _Optional[_Union[_decision_pb2.Strategy, str]] = ..., threshold: _Optional[float] = ..., n: _Optional[int] = ..., min_score: _Optional[float] = ..., min_confidence: _Optional[float] = ..., min_agreement: _Optional[float] = ...) -> None: ...

class ListPoliciesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListPoliciesResponse(_message.Message):
    __slots__ = ("policies",)
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    policies: _containers.RepeatedCompositeFieldContainer[PolicySummary]
    def __init__(self, policies: _Optional[_Iterable[_Union[PolicySummary, _Mapping]]] = ...) -> None: ...

class PolicySummary(_message.Message):
    __slots__ = ("name", "revision", "description", "default", "enabled", "stages", "rubric")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    RUBRIC_FIELD_NUMBER: _ClassVar[int]
    name: str
    revision: str
    description: str
    default: bool
    enabled: bool
    stages: _containers.RepeatedCompositeFieldContainer[StageSummary]
    rubric: _submission_pb2.Rubric
    def __init__(self, name: _Optional[str] = ..., revision: _Optional[str] = ..., description: _Optional[str] = ..., default: bool = ..., enabled: bool = ..., stages: _Optional[_Iterable[_Union[StageSummary, _Mapping]]] = ..., rubric: _Optional[_Union[_submission_pb2.Rubric, _Mapping]] = ...) -> None: ...

class StageSummary(_message.Message):
    __slots__ = ("name", "checks", "strategy", "quorum", "seats", "min_score", "min_confidence", "min_agreement")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    QUORUM_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MIN_AGREEMENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    checks: _containers.RepeatedScalarFieldContainer[str]
    strategy: _decision_pb2.Strategy
    quorum: int
    seats: _containers.RepeatedCompositeFieldContainer[SeatSummary]
    min_score: float
    min_confidence: float
    min_agreement: float
    def __init__(self, name: _Optional[str] = ..., checks: _Optional[_Iterable[str]] = ..., strategy: _Optional[_Union[_decision_pb2.Strategy, str]] = ..., quorum: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[SeatSummary, _Mapping]]] = ..., min_score: _Optional[float] = ..., min_confidence: _Optional[float] = ..., min_agreement: _Optional[float] = ...) -> None: ...

class SeatSummary(_message.Message):
    __slots__ = ("judge", "kind", "weight")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    judge: str
    kind: str
    weight: float
    def __init__(self, judge: _Optional[str] = ..., kind: _Optional[str] = ..., weight: _Optional[float] = ...) -> None: ...
