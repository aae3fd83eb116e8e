"""Why a verdict was given: codes that stay, and a sentence with the values."""

from msgspec import Struct

from consensus.domain.words import Word


class ReasonCode(Word):
    """Why a verdict was given; the value is the sentence that docs/errors.md prints."""

    GATES_PASSED = "Every gate passed."
    SCORE_BELOW_MIN = "The folded score is below `min_score`."
    CONFIDENCE_BELOW_MIN = "The consensus confidence is below `min_confidence`."
    AGREEMENT_BELOW_MIN = "The agreement is below `min_agreement`, or too few seats scored for one."
    CRITERION_NOT_MET = "A required criterion is not MET."
    CHECK_FAILED = "A check of the stage does not hold."
    SEAT_MISSING = "The strategy needs every seat and one has not scored."
    TIE = "The votes were tied."
    QUORUM_MISSED = "Too few seats scored; `on_no_quorum` decided."
    STAGE_ADVANCED = "A stage handed on to the next one without a pass."
    DEADLINE = "The budget ended before every seat had answered."
    TURNS_SPENT = "The run has used up its turns."
    STALLED = "The worker said the same in several turns running."
    TOOL_LOOP = "The worker made the same tool calls in several turns running."
    USER_INPUT_NEEDED = "The worker is to ask its user before it goes on."
    TOOL_CALLS_PENDING = "The worker is still at its tool calls; nothing was judged."
    TURN_NOT_DUE = "The turn is not due to be judged."
    OUTPUTS_MISSING = "A required output is not set."
    OUTPUTS_EMPTY = "Every output may stay unset, and all are."
    CONVERSATION_OPEN = "The worker has no outputs to set; its conversation goes on until it ends."
    OUTPUTS_SET = "Every required output is set and nothing more is asked."
    REFUSED = "The worker declined the task."
    GOAL_COMPLETE = "Fast and strong judge, or two fast answers, show that the goal is complete."
    GOAL_UNCONFIRMED = "Fast and strong judge are not sure enough that the goal is complete."
    GOAL_NOT_COMPLETE = "The findings do not show that the goal is complete."
    UNSUPPORTED_CLAIM = "The worker claims to be done and the findings do not show it."
    PLATEAU = "The latest turns repeat each other."
    NO_PROGRESS = "No further criterion was met for several checks."
    SCENARIO_CONTINUES = "Nothing about the test is settled yet; the conversation goes on."
    SCENARIO_SUCCEEDED = "Every criterion of the test is MET."
    SCENARIO_FAILED = "A criterion of the test is UNMET."
    SCENARIO_INCONCLUSIVE = "The test must end and some of its criteria nobody can tell."
    SCENARIO_NO_CRITERIA = "The test has no criteria to judge it by."


class Reason(Struct, frozen=True):
    """One reason for a verdict."""

    code: ReasonCode
    message: str
    """One sentence with the values."""
