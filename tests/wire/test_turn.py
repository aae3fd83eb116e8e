"""Turns cross the wire; what is unset has the contract's defaults."""

from consensus.domain.turn import EarlierTurn, GoalStatus, Turn
from consensus.v1 import submission_pb2 as pb
from consensus.wire.submission import submission_from, submission_to
from consensus.wire.turn import GOAL_STATUS_TO, turn_from, turn_to
from tests.builders import submission


def test_an_unset_turn_is_none_and_an_empty_one_is_the_first_of_fifty() -> None:
    assert submission_from(pb.Submission()).turn is None
    assert not submission_to(submission()).HasField("turn")
    first = submission_from(pb.Submission(turn=pb.Turn())).turn
    assert first == Turn(iteration=0, max_iterations=50, judge_every_n_turns=1)


def test_an_earlier_turn_that_was_not_judged_is_not_one_that_met_nothing() -> None:
    turns = (EarlierTurn(), EarlierTurn(criteria_met=0, goal_status=GoalStatus.UNKNOWN))
    message = turn_to(Turn(earlier=turns))
    assert [earlier.HasField("criteria_met") for earlier in message.earlier] == [False, True]
    assert turn_from(message).earlier == turns


def test_every_goal_status_is_sent_as_the_value_of_its_name() -> None:
    values = pb.GoalStatus.DESCRIPTOR.values_by_number
    names = {status.name: values[number].name for status, number in GOAL_STATUS_TO.items()}
    assert names == {status.name: f"GOAL_STATUS_{status.name}" for status in GoalStatus}
    assert set(GOAL_STATUS_TO.values()) == set(values) - {0}


def test_a_goal_status_that_nobody_knows_reads_as_none() -> None:
    assert turn_from(pb.Turn(earlier=[pb.EarlierTurn(goal_status=99)])).earlier == (  # type: ignore[arg-type]
        EarlierTurn(),
    )
