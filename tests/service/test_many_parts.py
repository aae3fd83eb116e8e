"""What a request has too much of is counted, not looked at: others would wait for seconds."""

from collections.abc import Iterator, Sequence
from typing import Any

import grpc
import pytest

from consensus.domain.errors import Violation
from consensus.service import tool_calls, validation
from consensus.v1 import judge_pb2, tool_call_pb2
from consensus.v1 import submission_pb2 as pb
from tests.service.refusal import refused
from tests.service.running import policy, rules, serving, submission


class Millions(Sequence[Any]):
    """Four million empty parts, of which nobody may look at more than `most`."""

    def __init__(self, made: type, most: int) -> None:
        self._made = made
        self._most = most

    def __len__(self) -> int:
        return 4_000_000

    def __getitem__(self, index: Any) -> Any:
        assert index < self._most
        return self._made()


class Instead:
    """A message with other values in some of its fields."""

    def __init__(self, message: Any, **fields: Any) -> None:
        self._message = message
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._message, name)


def in_submission(rubric: Any) -> Iterator[Violation]:
    message: Any = Instead(pb.Submission(task="t", candidate="c"), rubric=rubric)
    return validation.submission(message, "submission")


def in_tool_call(rubric: Any) -> Iterator[Violation]:
    call = tool_call_pb2.ProposedToolCall(name="fs.write")
    asked = tool_call_pb2.JudgeToolCallRequest(task="t", call=call)
    message: Any = Instead(asked, rubric=rubric)
    return tool_calls.tool_call_request(message)


def only(check: Any) -> Any:
    """Return a rubric of one criterion with this check alone."""
    criterion = Instead(pb.Criterion(id="C1", text="Names Paris"), checks=[check])
    return Instead(pb.Rubric(), criteria=[criterion])


TEXTS = Instead(pb.TextList(), values=Millions(str, 0))
COLUMNS = Instead(pb.SqlQuery(), columns=Millions(str, 0))
PLACES = pytest.mark.parametrize(
    ("found_in", "at"),
    [(in_submission, "submission.rubric.criteria"), (in_tool_call, "rubric.criteria")],
)


@PLACES
def test_criteria_beyond_the_most_are_counted_and_not_looked_at(found_in: Any, at: str) -> None:
    (found,) = found_in(Instead(pb.Rubric(), criteria=Millions(pb.Criterion, 256)))
    assert found.field == at
    assert found.description == "has 4000000 entries; at most 256"


@PLACES
@pytest.mark.parametrize(
    ("check", "field", "most"),
    [
        (Instead(pb.Check(contains_all=pb.TextList()), contains_all=TEXTS), "contains_all", 64),
        (Instead(pb.Check(sql=pb.SqlQuery()), sql=COLUMNS), "sql.columns", 256),
    ],
)
def test_what_a_check_lists_is_counted_and_not_read(
    found_in: Any, at: str, check: Any, field: str, most: int
) -> None:
    (found,) = found_in(only(check))
    assert found.field == f"{at}[0].checks[0].{field}"
    assert found.description == f"has 4000000 entries; at most {most}"


async def test_a_path_beyond_the_last_depth_is_told_as_far_as_it_was_looked_at() -> None:
    far = judge_pb2.Hierarchy(depth=1_000, path=[f"d{level}" for level in range(1_000)])
    async with serving(rules(default=policy("conduct"))) as server:
        asked = judge_pb2.EvaluateRequest(submission=submission(), judge="default", hierarchy=far)
        seen = await refused(server.judge.Evaluate(asked))
    assert seen.code is grpc.StatusCode.FAILED_PRECONDITION
    assert seen.message.endswith("depth 1000 is above 3: d0 > d1 > d2 > d3")
