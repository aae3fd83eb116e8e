"""Hypothesis strategies: every submission that the door lets in, and answers about it."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from consensus.domain.submission import (
    Check,
    CheckKind,
    CheckTarget,
    CodeBlock,
    Contains,
    ContainsAll,
    Criterion,
    ExitCode,
    JsonSchema,
    LengthLimit,
    Message,
    NotContains,
    NumericAnswer,
    ProcessResult,
    Regex,
    Scenario,
    Submission,
)
from consensus.domain.turn import EarlierTurn, GoalStatus, OutputKey, ToolCall, Turn
from consensus.wire.submission import submission_from, submission_to

_PLAIN = """
tower opens nine ticket price euros the not without Lisbon's café 東京 🗼 12,345.6 -7e3
TODO I'm sorry, I can't help. ``` . ! { } [ ] : " '
"""
_ODD = ("\n", "\t", "\x00", "\x1b[31m", "\u2028", "\u202e", "“quoted”")
WORDS = (*_PLAIN.split(), *_ODD)
PATTERNS = ("tower", r"\d+", "(?i)PRICE", r"\s", "", "^", "$", "[^a]", "a|b", r"\bnine\b", "(.*)")
SCHEMAS: Sequence[Mapping[str, object]] = (
    {},
    {"type": "object", "required": ["a"]},
    {"type": "array", "items": {"type": "number", "multipleOf": 0.5}},
    {"enum": [1, 2.5, "x", None, True]},
    {"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"},
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
phrases = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
prose = phrases | texts
some = prose.filter(bool)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | prose,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
structs = st.dictionaries(texts, json_values, max_size=3)
limits = st.none() | st.integers(0, 60)
kinds: st.SearchStrategy[CheckKind] = st.one_of(
    st.builds(Contains, some),
    st.builds(NotContains, some),
    st.builds(ContainsAll, st.lists(some, min_size=1, max_size=3).map(tuple)),
    st.builds(Regex, st.sampled_from([pattern for pattern in PATTERNS if pattern])),
    st.builds(JsonSchema, st.sampled_from(SCHEMAS)),
    st.builds(NumericAnswer, numbers.map(float), st.floats(0, 1e6)),
    st.builds(LengthLimit, limits, limits, limits, limits),
    st.builds(CodeBlock, st.sampled_from(["python", "*", "json"])),
    st.builds(ExitCode, st.integers(-9, 9), st.floats(0, 1), st.floats(1e-6, 1)),
)
output_keys = st.sampled_from(["plan", "note", "日本"])
checks = st.builds(Check, kinds, st.just("") | output_keys, st.sampled_from(CheckTarget))
criteria = st.builds(
    Criterion,
    id=st.from_regex(r"[A-Za-z0-9._-]{1,6}", fullmatch=True),
    text=some,
    required=st.booleans(),
    weight=st.floats(1e-6, 1e9),
    checks=st.lists(checks, max_size=2).map(tuple),
)
messages = st.builds(Message, st.sampled_from(["system", "user", "assistant", "tool"]), prose)
tool_calls = st.lists(
    st.builds(ToolCall, name=some, arguments=prose, failed=st.booleans()), max_size=2
).map(tuple)
earlier_turns = st.builds(
    EarlierTurn,
    text=prose,
    tool_calls=tool_calls,
    criteria_met=st.none() | st.integers(0, 256),
    goal_status=st.none() | st.sampled_from(GoalStatus),
    goal_confidence=st.floats(0, 1),
)
turns = st.builds(
    Turn,
    iteration=st.integers(0, 60),
    max_iterations=st.integers(1, 60),
    judge_every_n_turns=st.integers(1, 4),
    tool_calls=tool_calls,
    output_keys=st.lists(
        st.builds(OutputKey, output_keys, st.booleans()), max_size=3, unique_by=lambda key: key.name
    ).map(tuple),
    client_facing=st.booleans(),
    success_criteria=prose,
    node_description=prose,
    earlier=st.lists(earlier_turns, max_size=3).map(tuple),
)
submissions = st.builds(
    Submission,
    task=some,
    candidate=prose,
    outputs=st.dictionaries(output_keys, json_values, max_size=2),
    rubric=st.lists(criteria, max_size=4, unique_by=lambda criterion: criterion.id).map(tuple),
    messages=st.lists(messages, max_size=3).map(tuple),
    context=structs,
    turn=st.none() | turns,
    scenario=st.none() | st.builds(Scenario, prose, st.booleans()),
    process=st.none() | st.builds(ProcessResult, st.integers(-9, 255), prose),
    policy_violations=st.lists(some, max_size=2).map(tuple),
).filter(lambda submission: bool(submission.candidate or submission.outputs))
received = submissions.map(lambda submission: submission_from(submission_to(submission)))
"""Submissions as they come in, where a number has lost its spelling: 1e16 is 10000000000000000."""
