"""Whatever the bytes, no method answers UNKNOWN or INTERNAL; nothing of them becomes a label."""

from collections.abc import AsyncIterator

import grpc
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import submission_pb2
from tests.service.running import Running, policy, request, rules, serving, submission
from tests.service.scripted_judge import answers, backend, gradient
from tests.service.test_malformed import ENVELOPES, METHODS, code

moderate = settings(max_examples=50, deadline=None)
FINE = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,
}
NAMES = {"default", "strict", "checks", "coverage", "conduct", "panel"}


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Running]:
    default = policy("checks", "coverage", "conduct", panel={"settle": "early"})
    strict = policy("checks", "conduct", panel={"strategy": "unanimous"}) | {"rubric": "required"}
    async with serving(rules(default=default, strict=strict)) as running:
        yield running
        assert labels(running) <= NAMES


def labels(server: Running) -> set[str]:
    """Return every value that the labels `policy`, `judge` and `stage` have taken."""
    return {
        value
        for family in server.witness.registry.collect()
        for sample in family.samples
        for key, value in sample.labels.items()
        if key in ("policy", "judge", "stage")
    }


@pytest.mark.parametrize("method", METHODS)
@moderate
@given(data=st.binary(max_size=300))
async def test_random_bytes_are_answered_or_refused(
    server: Running, method: str, data: bytes
) -> None:
    assert await code(server, method, data) in FINE


SOUND = submission(
    rubric={"criteria": [{"id": "C1", "text": "x", "checks": [{"contains": "Paris"}]}]},
    messages=[{"role": "user", "content": "hi"}],
    context={"a": [1, {"b": None}]},
).SerializeToString()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Draw an encoded submission with a few bytes changed, taken out or put in."""
    data = bytearray(SOUND)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


@pytest.mark.parametrize("method", ENVELOPES)
@moderate
@given(data=damaged())
async def test_damaged_requests_are_answered_or_refused(
    server: Running, method: str, data: bytes
) -> None:
    assert await code(server, method, ENVELOPES[method](data)) in FINE


texts = st.text(min_size=1, max_size=20)
numbers = st.floats(0.01, 1)
counts = st.integers(0, 5) | st.integers(0, 2**31 - 1)
json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
keywords = st.sampled_from(["type", "properties", "$ref", "pattern", "items", "enum", "minimum"])
json_objects = st.dictionaries(texts, json_values, max_size=3)
schemas = st.dictionaries(keywords | texts, json_values, max_size=2)
expressions = st.from_regex(r"[\[\](){}|*+?^$\\a.]{1,8}", fullmatch=True) | texts
numerics = st.fixed_dictionaries({"value": st.floats(-1e300, 1e300), "tolerance": numbers})
limits = st.fixed_dictionaries({"max_chars": counts}, optional={"max_words": counts})
kinds = st.one_of(
    st.fixed_dictionaries({"contains": texts}),
    st.fixed_dictionaries(
        {"contains_all": st.fixed_dictionaries({"values": st.lists(texts, min_size=1)})}
    ),
    st.fixed_dictionaries({"regex": expressions}),
    st.fixed_dictionaries({"json_schema": schemas}),
    st.fixed_dictionaries({"numeric": numerics}),
    st.fixed_dictionaries({"length": limits}),
    st.fixed_dictionaries({"code_block": texts}),
)
checks = st.builds(lambda kind, out: kind | {"output": out}, kinds, st.sampled_from(["", "o"]))
criteria = st.builds(
    submission_pb2.Criterion,
    id=st.sampled_from(["C1", "C2", "C3"]),
    text=texts,
    required=st.booleans(),
    weight=st.none() | numbers,
    checks=st.lists(checks, max_size=2),
)
rubrics = st.lists(criteria, max_size=3, unique_by=lambda criterion: criterion.id)
turns = st.fixed_dictionaries({"role": st.sampled_from(["user", "tool"]), "content": texts})
candidates = st.sampled_from(["```json\n{}\n```", "[1, 2", "42 or 1e999", "\x00", "9" * 400])
submissions = st.builds(
    submission_pb2.Submission,
    task=texts,
    candidate=texts | candidates,
    rubric=st.fixed_dictionaries({"criteria": rubrics}),
    messages=st.lists(turns, max_size=2),
    context=json_objects,
)
overrides = st.builds(
    pb.Overrides,
    strategy=st.integers(0, 6),
    threshold=st.none() | numbers,
    min_score=st.none() | numbers,
    min_agreement=st.none() | numbers,
)


@settings(max_examples=150, deadline=None)
@given(asked=submissions, wanted=overrides, name=st.sampled_from(["", "strict", "nobody"]))
async def test_any_request_that_parses_is_answered_or_refused(
    server: Running, asked: submission_pb2.Submission, wanted: pb.Overrides, name: str
) -> None:
    judged = request(name, submission=asked, overrides=wanted)
    seen = await code(server, "Judge", judged.SerializeToString())
    event(seen.name)
    assert seen in FINE


@moderate
@given(data=st.binary(max_size=200))
async def test_random_bytes_from_a_judge_cost_its_seat_alone(data: bytes) -> None:
    async with (
        backend(garbled=answers(data), sound=answers(gradient())) as judges,
        serving(rules(judges.target, default=policy("garbled", "sound"))) as server,
    ):
        decision = (await server.consensus.Judge(request())).decision
        assert len(decision.stages[0].consensus.individual_results) == 2
        assert decision.stages[0].consensus.final_score > 0
