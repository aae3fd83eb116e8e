import datetime

from consensus.v1 import gradient_pb2 as _gradient_pb2
from consensus.v1 import judge_pb2 as _judge_pb2
from consensus.v1 import submission_pb2 as _submission_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExecutionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXECUTION_STATE_UNSPECIFIED: _ClassVar[ExecutionState]
    EXECUTION_STATE_RUNNING: _ClassVar[ExecutionState]
    EXECUTION_STATE_VALIDATING: _ClassVar[ExecutionState]
    EXECUTION_STATE_REFINING: _ClassVar[ExecutionState]
    EXECUTION_STATE_SUCCESS: _ClassVar[ExecutionState]
    EXECUTION_STATE_FAILED: _ClassVar[ExecutionState]

class ScenarioOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCENARIO_OUTCOME_UNSPECIFIED: _ClassVar[ScenarioOutcome]
    SCENARIO_OUTCOME_CONTINUE: _ClassVar[ScenarioOutcome]
    SCENARIO_OUTCOME_SUCCESS: _ClassVar[ScenarioOutcome]
    SCENARIO_OUTCOME_FAILURE: _ClassVar[ScenarioOutcome]
    SCENARIO_OUTCOME_INCONCLUSIVE: _ClassVar[ScenarioOutcome]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_ACCEPT: _ClassVar[Verdict]
    VERDICT_RETRY: _ClassVar[Verdict]
    VERDICT_ESCALATE: _ClassVar[Verdict]

class Strategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STRATEGY_UNSPECIFIED: _ClassVar[Strategy]
    STRATEGY_WEIGHTED_AVERAGE: _ClassVar[Strategy]
    STRATEGY_MAJORITY: _ClassVar[Strategy]
    STRATEGY_UNANIMOUS: _ClassVar[Strategy]
    STRATEGY_BEST_OF_N: _ClassVar[Strategy]
    STRATEGY_MEDIAN: _ClassVar[Strategy]
    STRATEGY_TRIMMED_MEAN: _ClassVar[Strategy]

class SeatStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEAT_STATUS_UNSPECIFIED: _ClassVar[SeatStatus]
    SEAT_STATUS_SCORED: _ClassVar[SeatStatus]
    SEAT_STATUS_ABSTAINED: _ClassVar[SeatStatus]
    SEAT_STATUS_FAILED: _ClassVar[SeatStatus]
    SEAT_STATUS_SKIPPED: _ClassVar[SeatStatus]

class FailureKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAILURE_KIND_UNSPECIFIED: _ClassVar[FailureKind]
    FAILURE_KIND_TIMEOUT: _ClassVar[FailureKind]
    FAILURE_KIND_ERROR: _ClassVar[FailureKind]
    FAILURE_KIND_UNREADABLE: _ClassVar[FailureKind]
    FAILURE_KIND_OVERLOADED: _ClassVar[FailureKind]
    FAILURE_KIND_RATE_LIMITED: _ClassVar[FailureKind]
    FAILURE_KIND_BREAKER_OPEN: _ClassVar[FailureKind]
    FAILURE_KIND_REFUSED: _ClassVar[FailureKind]
    FAILURE_KIND_TRUNCATED: _ClassVar[FailureKind]
    FAILURE_KIND_FILTERED: _ClassVar[FailureKind]
    FAILURE_KIND_SPEND_LIMIT: _ClassVar[FailureKind]

class GateAnswer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GATE_ANSWER_UNSPECIFIED: _ClassVar[GateAnswer]
    GATE_ANSWER_PASS: _ClassVar[GateAnswer]
    GATE_ANSWER_FAIL: _ClassVar[GateAnswer]
    GATE_ANSWER_UNSURE: _ClassVar[GateAnswer]
    GATE_ANSWER_NO_QUORUM: _ClassVar[GateAnswer]
EXECUTION_STATE_UNSPECIFIED: ExecutionState
EXECUTION_STATE_RUNNING: ExecutionState
EXECUTION_STATE_VALIDATING: ExecutionState
EXECUTION_STATE_REFINING: ExecutionState
EXECUTION_STATE_SUCCESS: ExecutionState
EXECUTION_STATE_FAILED: ExecutionState
SCENARIO_OUTCOME_UNSPECIFIED: ScenarioOutcome
SCENARIO_OUTCOME_CONTINUE: ScenarioOutcome
SCENARIO_OUTCOME_SUCCESS: ScenarioOutcome
SCENARIO_OUTCOME_FAILURE: ScenarioOutcome
SCENARIO_OUTCOME_INCONCLUSIVE: ScenarioOutcome
VERDICT_UNSPECIFIED: Verdict
VERDICT_ACCEPT: Verdict
VERDICT_RETRY: Verdict
VERDICT_ESCALATE: Verdict
STRATEGY_UNSPECIFIED: Strategy
STRATEGY_WEIGHTED_AVERAGE: Strategy
STRATEGY_MAJORITY: Strategy
STRATEGY_UNANIMOUS: Strategy
STRATEGY_BEST_OF_N: Strategy
STRATEGY_MEDIAN: Strategy
STRATEGY_TRIMMED_MEAN: Strategy
SEAT_STATUS_UNSPECIFIED: SeatStatus
SEAT_STATUS_SCORED: SeatStatus
SEAT_STATUS_ABSTAINED: SeatStatus
SEAT_STATUS_FAILED: SeatStatus
SEAT_STATUS_SKIPPED: SeatStatus
FAILURE_KIND_UNSPECIFIED: FailureKind
FAILURE_KIND_TIMEOUT: FailureKind
FAILURE_KIND_ERROR: FailureKind
FAILURE_KIND_UNREADABLE: FailureKind
FAILURE_KIND_OVERLOADED: FailureKind
FAILURE_KIND_RATE_LIMITED: FailureKind
FAILURE_KIND_BREAKER_OPEN: FailureKind
FAILURE_KIND_REFUSED: FailureKind
FAILURE_KIND_TRUNCATED: FailureKind
FAILURE_KIND_FILTERED: FailureKind
FAILURE_KIND_SPEND_LIMIT: FailureKind
GATE_ANSWER_UNSPECIFIED: GateAnswer
GATE_ANSWER_PASS: GateAnswer
GATE_ANSWER_FAIL: GateAnswer
GATE_ANSWER_UNSURE: GateAnswer
GATE_ANSWER_NO_QUORUM: GateAnswer

class Decision(_message.Message):
    __slots__ = ("decision_id", "verdict", "reasons", "feedback", "effective_score", "criteria", "stages", "policy", "policy_revision", "hierarchy", "create_time", "duration", "usage", "derived_rubric", "goal_status", "goal_confidence", "validation_results", "execution_state", "scenario_outcome")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    FEEDBACK_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_SCORE_FIELD_NUMBER: _ClassVar[int]
    CRITERIA_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    POLICY_REVISION_FIELD_NUMBER: _ClassVar[int]
    HIERARCHY_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    DERIVED_RUBRIC_FIELD_NUMBER: _ClassVar[int]
    GOAL_STATUS_FIELD_NUMBER: _ClassVar[int]
    GOAL_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    VALIDATION_RESULTS_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_STATE_FIELD_NUMBER: _ClassVar[int]
    SCENARIO_OUTCOME_FIELD_NUMBER: _ClassVar[int]
    decision_id: str
    verdict: Verdict
    reasons: _containers.RepeatedCompositeFieldContainer[Reason]
    feedback: str
    effective_score: float
    criteria: _containers.RepeatedCompositeFieldContainer[CriterionResult]
    stages: _containers.RepeatedCompositeFieldContainer[StageResult]
    policy: str
    policy_revision: str
    hierarchy: _judge_pb2.Hierarchy
    create_time: _timestamp_pb2.Timestamp
    duration: _duration_pb2.Duration
    usage: _gradient_pb2.Usage
    derived_rubric: _submission_pb2.Rubric
    goal_status: _submission_pb2.GoalStatus
    goal_confidence: float
    validation_results: ValidationResults
    execution_state: ExecutionState
    scenario_outcome: ScenarioOutcome
    def __init__(self, decision_id: _Optional[str] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., reasons: _Optional[_Iterable[_Union[Reason, _Mapping]]] = ..., feedback: _Optional[str] = ..., effective_score: _Optional[float] = ..., criteria: _Optional[_Iterable[_Union[CriterionResult, _Mapping]]] = ..., stages: _Optional[_Iterable[_Union[StageResult, _Mapping]]] = ..., policy: _Optional[str] = ..., policy_revision: _Optional[str] = ..., hierarchy: _Optional[_Union[_judge_pb2.Hierarchy, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., usage: _Optional[_Union[_gradient_pb2.Usage, _Mapping]] = ..., derived_rubric: _Optional[_Union[_submission_pb2.Rubric, _Mapping]] = ..., goal_status: _Optional[_Union[_submission_pb2.GoalStatus, str]] = ..., goal_confidence: _Optional[float] = ..., validation_results: _Optional[_Union[ValidationResults, _Mapping]] = ..., execution_state: _Optional[_Union[ExecutionState, str]] = ..., scenario_outcome: _Optional[_Union[ScenarioOutcome, str]] = ...) -> None: ...

class ValidationResults(_message.Message):
    __slots__ = ("system", "output", "semantic", "gradient", "consensus")
    SYSTEM_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    SEMANTIC_FIELD_NUMBER: _ClassVar[int]
    GRADIENT_FIELD_NUMBER: _ClassVar[int]
    CONSENSUS_FIELD_NUMBER: _ClassVar[int]
    system: SystemValidation
    output: OutputValidation
    semantic: SemanticValidation
    gradient: _gradient_pb2.GradientResult
    consensus: Consensus
    def __init__(self, system: _Optional[_Union[SystemValidation, _Mapping]] = ..., output: _Optional[_Union[OutputValidation, _Mapping]] = ..., semantic: _Optional[_Union[SemanticValidation, _Mapping]] = ..., gradient: _Optional[_Union[_gradient_pb2.GradientResult, _Mapping]] = ..., consensus: _Optional[_Union[Consensus, _Mapping]] = ...) -> None: ...

class SystemValidation(_message.Message):
    __slots__ = ("success", "exit_code", "stderr")
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    success: bool
    exit_code: int
    stderr: str
    def __init__(self, success: bool = ..., exit_code: _Optional[int] = ..., stderr: _Optional[str] = ...) -> None: ...

class OutputValidation(_message.Message):
    __slots__ = ("success", "error")
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    success: bool
    error: str
    def __init__(self, success: bool = ..., error: _Optional[str] = ...) -> None: ...

class SemanticValidation(_message.Message):
    __slots__ = ("success", "score", "reasoning")
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    REASONING_FIELD_NUMBER: _ClassVar[int]
    success: bool
    score: float
    reasoning: str
    def __init__(self, success: bool = ..., score: _Optional[float] = ..., reasoning: _Optional[str] = ...) -> None: ...

class Reason(_message.Message):
    __slots__ = ("code", "message")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class CriterionResult(_message.Message):
    __slots__ = ("criterion_id", "text", "required", "status", "met_count", "unmet_count", "evidence")
    CRITERION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    MET_COUNT_FIELD_NUMBER: _ClassVar[int]
    UNMET_COUNT_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    criterion_id: str
    text: str
    required: bool
    status: _gradient_pb2.FindingStatus
    met_count: int
    unmet_count: int
    evidence: _containers.RepeatedCompositeFieldContainer[_gradient_pb2.Evidence]
    def __init__(self, criterion_id: _Optional[str] = ..., text: _Optional[str] = ..., required: bool = ..., status: _Optional[_Union[_gradient_pb2.FindingStatus, str]] = ..., met_count: _Optional[int] = ..., unmet_count: _Optional[int] = ..., evidence: _Optional[_Iterable[_Union[_gradient_pb2.Evidence, _Mapping]]] = ...) -> None: ...

class StageResult(_message.Message):
    __slots__ = ("stage", "checks", "consensus", "gate", "settled", "duration")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    CONSENSUS_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    stage: str
    checks: _containers.RepeatedCompositeFieldContainer[CheckResult]
    consensus: Consensus
    gate: GateResult
    settled: bool
    duration: _duration_pb2.Duration
    def __init__(self, stage: _Optional[str] = ..., checks: _Optional[_Iterable[_Union[CheckResult, _Mapping]]] = ..., consensus: _Optional[_Union[Consensus, _Mapping]] = ..., gate: _Optional[_Union[GateResult, _Mapping]] = ..., settled: bool = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class CheckResult(_message.Message):
    __slots__ = ("check", "passed", "message", "score")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    check: str
    passed: bool
    message: str
    score: float
    def __init__(self, check: _Optional[str] = ..., passed: bool = ..., message: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...

class Consensus(_message.Message):
    __slots__ = ("final_score", "consensus_confidence", "agreement", "coverage", "strategy", "threshold", "tie", "individual_results", "dissents")
    FINAL_SCORE_FIELD_NUMBER: _ClassVar[int]
    CONSENSUS_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    AGREEMENT_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    TIE_FIELD_NUMBER: _ClassVar[int]
    INDIVIDUAL_RESULTS_FIELD_NUMBER: _ClassVar[int]
    DISSENTS_FIELD_NUMBER: _ClassVar[int]
    final_score: float
    consensus_confidence: float
    agreement: float
    coverage: float
    strategy: Strategy
    threshold: float
    tie: bool
    individual_results: _containers.RepeatedCompositeFieldContainer[SeatResult]
    dissents: _containers.RepeatedCompositeFieldContainer[Dissent]
    def __init__(self, final_score: _Optional[float] = ..., consensus_confidence: _Optional[float] = ..., agreement: _Optional[float] = ..., coverage: _Optional[float] = ..., strategy: _Optional[_Union[Strategy, str]] = ..., threshold: _Optional[float] = ..., tie: bool = ..., individual_results: _Optional[_Iterable[_Union[SeatResult, _Mapping]]] = ..., dissents: _Optional[_Iterable[_Union[Dissent, _Mapping]]] = ...) -> None: ...

class SeatResult(_message.Message):
    __slots__ = ("judge", "weight", "status", "gradient", "abstention", "failure", "duration", "attempts", "struck_count", "shadow", "usage")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    GRADIENT_FIELD_NUMBER: _ClassVar[int]
    ABSTENTION_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    STRUCK_COUNT_FIELD_NUMBER: _ClassVar[int]
    SHADOW_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    judge: str
    weight: float
    status: SeatStatus
    gradient: _gradient_pb2.GradientResult
    abstention: _gradient_pb2.Abstention
    failure: Failure
    duration: _duration_pb2.Duration
    attempts: int
    struck_count: int
    shadow: bool
    usage: _gradient_pb2.Usage
    def __init__(self, judge: _Optional[str] = ..., weight: _Optional[float] = ..., status: _Optional[_Union[SeatStatus, str]] = ..., gradient: _Optional[_Union[_gradient_pb2.GradientResult, _Mapping]] = ..., abstention: _Optional[_Union[_gradient_pb2.Abstention, _Mapping]] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., attempts: _Optional[int] = ..., struck_count: _Optional[int] = ..., shadow: bool = ..., usage: _Optional[_Union[_gradient_pb2.Usage, _Mapping]] = ...) -> None: ...

class Failure(_message.Message):
    __slots__ = ("kind", "reason")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    kind: FailureKind
    reason: str
    def __init__(self, kind: _Optional[_Union[FailureKind, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class Dissent(_message.Message):
    __slots__ = ("judge", "score", "flip")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FLIP_FIELD_NUMBER: _ClassVar[int]
    judge: str
    score: float
    flip: Flip
    def __init__(self, judge: _Optional[str] = ..., score: _Optional[float] = ..., flip: _Optional[_Union[Flip, _Mapping]] = ...) -> None: ...

class Flip(_message.Message):
    __slots__ = ("judge", "score", "upward")
    JUDGE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    UPWARD_FIELD_NUMBER: _ClassVar[int]
    judge: str
    score: float
    upward: bool
    def __init__(self, judge: _Optional[str] = ..., score: _Optional[float] = ..., upward: bool = ...) -> None: ...

class GateResult(_message.Message):
    __slots__ = ("answer", "score_ok", "confidence_ok", "agreement_ok", "criteria_ok", "quorum_ok", "seats_ok")
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    SCORE_OK_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_OK_FIELD_NUMBER: _ClassVar[int]
    AGREEMENT_OK_FIELD_NUMBER: _ClassVar[int]
    CRITERIA_OK_FIELD_NUMBER: _ClassVar[int]
    QUORUM_OK_FIELD_NUMBER: _ClassVar[int]
    SEATS_OK_FIELD_NUMBER: _ClassVar[int]
    answer: GateAnswer
    score_ok: bool
    confidence_ok: bool
    agreement_ok: bool
    criteria_ok: bool
    quorum_ok: bool
    seats_ok: bool
    def __init__(self, answer: _Optional[_Union[GateAnswer, str]] = ..., score_ok: bool = ..., confidence_ok: bool = ..., agreement_ok: bool = ..., criteria_ok: bool = ..., quorum_ok: bool = ..., seats_ok: bool = ...) -> None: ...
