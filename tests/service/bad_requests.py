"""Requests that break the contract, each in one field, and the path of that field."""

from math import inf, nan
from typing import Any

from google.protobuf import struct_pb2

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import submission_pb2
from tests.service.running import request, submission


def about(**more: Any) -> pb.JudgeRequest:
    return request(submission=submission(**more))


def criterion(**more: Any) -> pb.JudgeRequest:
    fields = {"id": "C1", "text": "Names Paris"} | more
    return about(rubric={"criteria": [submission_pb2.Criterion(**fields)]})


def check(**kind: Any) -> pb.JudgeRequest:
    return criterion(checks=[submission_pb2.Check(**kind)])


def changed(**overrides: Any) -> pb.JudgeRequest:
    return request(overrides=pb.Overrides(**overrides))


def nested(depth: int, leaf: float = 1.0) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    struct.update({"leaf": leaf})
    for _ in range(depth):
        outer = struct_pb2.Struct()
        outer.fields["in"].struct_value.CopyFrom(struct)
        struct = outer
    return struct


def schema(**keywords: Any) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    struct.update(keywords)
    return struct


TASK, CANDIDATE = "submission.task", "submission.candidate"
CRITERIA = "submission.rubric.criteria"
FIRST = f"{CRITERIA}[0]"
MANY = {"k": [1] * 50_000}
CHECK = f"{FIRST}.checks[0]"
BAD: dict[str, tuple[pb.JudgeRequest, str]] = {
    "no submission": (pb.JudgeRequest(), "submission"),
    "no task": (about(task=""), TASK),
    "a task too long": (about(task="x" * 200_001), TASK),
    "nothing to judge": (about(candidate=""), CANDIDATE),
    "a candidate too long": (about(candidate="x" * 4_000_001), CANDIDATE),
    "a standard error too long": (
        about(process=submission_pb2.ProcessResult(stderr="x" * 200_001)),
        "submission.process.stderr",
    ),
    "too many blocked tools": (
        about(policy_violations=["cmd.run"] * 1_001),
        "submission.policy_violations",
    ),
    "a blocked tool without a name": (
        about(policy_violations=["cmd.run", ""]),
        "submission.policy_violations[1]",
    ),
    "a check that looks nowhere": (check(contains="x", target=9), f"{CHECK}.target"),
    "an exit code with a score above 1": (
        check(exit_code=submission_pb2.ExitCode(stderr_score=1.5)),
        f"{CHECK}.exit_code.stderr_score",
    ),
    "an exit code that any score passes": (
        check(exit_code=submission_pb2.ExitCode(min_score=0)),
        f"{CHECK}.exit_code.min_score",
    ),
    "too many outputs": (
        about(outputs={str(i): struct_pb2.Value(bool_value=True) for i in range(257)}),
        "submission.outputs",
    ),
    "NaN in an output": (
        about(outputs={"o": struct_pb2.Value(number_value=nan)}),
        "submission.outputs['o']",
    ),
    "infinity deep in an output": (
        about(outputs={"o": struct_pb2.Value(struct_value=nested(3, inf))}),
        "submission.outputs['o'].in.in.in.leaf",
    ),
    "infinity in a list": (
        about(
            outputs={
                "o": struct_pb2.Value(
                    list_value=struct_pb2.ListValue(values=[struct_pb2.Value(number_value=-inf)])
                )
            }
        ),
        "submission.outputs['o'][0]",
    ),
    "an output nested too deep": (
        about(outputs={"o": struct_pb2.Value(struct_value=nested(17))}),
        f"submission.outputs['o']{'.in' * 17}",
    ),
    "context nested too deep": (about(context=nested(20)), f"submission.context{'.in' * 17}"),
    "a context of too many values": (
        about(context={"k": [True] * 100_000}),
        "submission.context",
    ),
    "outputs and a context of too many values": (
        about(outputs={"o": {"list_value": {"values": [{}] * 60_000}}}, context=MANY),
        "submission.context",
    ),
    "a schema of too many values": (
        check(json_schema=schema(enum=[1] * 100_000)),
        f"{CHECK}.json_schema",
    ),
    "a role that nobody has": (
        about(messages=[{"role": "user"}, {"role": "root"}]),
        "submission.messages[1].role",
    ),
    "no role": (about(messages=[{"content": "hi"}]), "submission.messages[0].role"),
    "a message too long": (
        about(messages=[{"role": "user", "content": "x" * 4_000_001}]),
        "submission.messages[0].content",
    ),
    "too many messages": (about(messages=[{"role": "user"}] * 10_001), "submission.messages"),
    "ten thousand criteria": (
        about(rubric={"criteria": [{"id": f"C{i}", "text": "x"} for i in range(10_000)]}),
        CRITERIA,
    ),
    "no criterion where one is needed": (request("rubric"), CRITERIA),
    "no criterion id": (criterion(id=""), f"{FIRST}.id"),
    "a criterion id with a space": (criterion(id="C 1"), f"{FIRST}.id"),
    "a criterion id too long": (criterion(id="C" * 65), f"{FIRST}.id"),
    "the same criterion id twice": (
        about(rubric={"criteria": [{"id": "C1", "text": "x"}] * 2}),
        f"{CRITERIA}[1].id",
    ),
    "no criterion text": (criterion(text=""), f"{FIRST}.text"),
    "a criterion text too long": (criterion(text="x" * 4_001), f"{FIRST}.text"),
    "a weight of zero": (criterion(weight=0.0), f"{FIRST}.weight"),
    "a weight of NaN": (criterion(weight=nan), f"{FIRST}.weight"),
    "an infinite weight": (criterion(weight=inf), f"{FIRST}.weight"),
    "too many checks": (
        criterion(checks=[submission_pb2.Check(contains="x")] * 17),
        f"{FIRST}.checks",
    ),
    "a check without a kind": (check(), CHECK),
    "a check for nothing": (check(contains=""), f"{CHECK}.contains"),
    "a check for too much": (check(not_contains="x" * 4_001), f"{CHECK}.not_contains"),
    "a check for no values": (check(contains_all={}), f"{CHECK}.contains_all"),
    "a check for an empty value": (
        check(contains_all={"values": ["x", ""]}),
        f"{CHECK}.contains_all[1]",
    ),
    "an unbalanced expression": (check(regex="("), f"{CHECK}.regex"),
    "an expression with look-ahead": (check(regex="(?=a)a"), f"{CHECK}.regex"),
    "an expression with a back-reference": (check(regex=r"(a)\1"), f"{CHECK}.regex"),
    "an expression that explodes": (check(regex="(a{1000}){1000}"), f"{CHECK}.regex"),
    "an expression too long": (check(regex="a" * 1_001), f"{CHECK}.regex"),
    "a schema that is none": (check(json_schema=schema(type=5)), f"{CHECK}.json_schema"),
    "a schema that points outside": (
        check(json_schema=schema(**{"$ref": "https://example.com/x"})),
        f"{CHECK}.json_schema",
    ),
    "a schema with a hostile pattern": (
        check(json_schema=schema(pattern="(a{1000}){1000}")),
        f"{CHECK}.json_schema",
    ),
    "a schema with NaN": (check(json_schema=nested(1, nan)), f"{CHECK}.json_schema"),
    "a number that is none": (check(numeric={"value": nan}), f"{CHECK}.numeric.value"),
    "a negative tolerance": (
        check(numeric={"value": 1, "tolerance": -1}),
        f"{CHECK}.numeric.tolerance",
    ),
    "no length limit": (check(length={}), f"{CHECK}.length"),
    "a negative length": (check(length={"max_words": -1}), f"{CHECK}.length.max_words"),
    "a length that nothing has": (
        check(length={"min_chars": 2, "max_chars": 1}),
        f"{CHECK}.length.min_chars",
    ),
    "a code block of no language": (check(code_block=""), f"{CHECK}.code_block"),
    "a request id too long": (request(request_id="x" * 37), "request_id"),
    "a request id beyond ASCII": (request(request_id="é"), "request_id"),
    "an unknown policy": (request("nobody"), "policy"),
    "a threshold of zero": (changed(threshold=0.0), "overrides.threshold"),
    "a threshold of NaN": (changed(threshold=nan), "overrides.threshold"),
    "a min_score above one": (changed(min_score=1.1), "overrides.min_score"),
    "a min_confidence of NaN": (changed(min_confidence=nan), "overrides.min_confidence"),
    "an infinite min_agreement": (changed(min_agreement=inf), "overrides.min_agreement"),
    "a strategy that nobody knows": (changed(strategy=99), "overrides.strategy"),
    "a negative strategy": (changed(strategy=-1), "overrides.strategy"),
    "best of none": (changed(strategy="STRATEGY_BEST_OF_N", n=0), "overrides.n"),
    "best of more than there are": (changed(strategy="STRATEGY_BEST_OF_N", n=2), "overrides.n"),
    "best of an unknown number": (changed(strategy="STRATEGY_BEST_OF_N"), "overrides.n"),
    "n where it has no meaning": (changed(n=1), "overrides.n"),
}
