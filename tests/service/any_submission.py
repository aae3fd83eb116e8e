"""Hypothesis strategies of submissions: of every field and kind of check, sound and not."""

import json
from typing import Any

from hypothesis import strategies as st

from consensus.v1 import submission_pb2

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
queries = st.fixed_dictionaries(
    {},
    optional={
        "setup": texts,
        "columns": st.lists(texts, max_size=2),
        "min_rows": st.integers(-1, 20_000),
    },
)
exit_codes = st.fixed_dictionaries(
    {"expected": st.integers(-1, 2)},
    optional={"stderr_score": st.floats(), "min_score": st.floats()},
)
kinds = st.one_of(
    st.fixed_dictionaries({"sql": queries}),
    st.fixed_dictionaries({"url": st.fixed_dictionaries({"contains": texts})}),
    st.fixed_dictionaries(
        {"code_run": st.fixed_dictionaries({"language": st.sampled_from(["python", "c", ""])})}
    ),
    st.fixed_dictionaries({"exit_code": exit_codes}),
    st.fixed_dictionaries({"not_contains": texts}),
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
checks = st.builds(
    lambda kind, out, target: kind | {"output": out, "target": target},
    kinds,
    st.sampled_from(["", "o"]),
    st.sampled_from([0, 1, 2, 7]),
)
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
small = st.integers(-1, 3) | st.integers(-(2**31), 2**31 - 1)
calls = st.lists(
    st.fixed_dictionaries({"name": texts, "arguments": texts}, optional={"failed": st.booleans()}),
    max_size=2,
)
earlier = st.fixed_dictionaries(
    {"text": texts, "tool_calls": calls},
    optional={"criteria_met": small, "goal_status": st.integers(0, 7),
              "goal_confidence": st.floats()},
)  # fmt: skip
run_turns = st.fixed_dictionaries(
    {"iteration": small, "tool_calls": calls, "client_facing": st.booleans()},
    optional={
        "max_iterations": small,
        "judge_every_n_turns": small,
        "output_keys": st.lists(
            st.fixed_dictionaries({"name": st.sampled_from(["a", "b", ""])}), max_size=3
        ),
        "success_criteria": texts,
        "node_description": texts,
        "earlier": st.lists(earlier, max_size=4),
    },
)
processes = st.fixed_dictionaries({"exit_code": small, "stderr": texts})
scenarios = st.fixed_dictionaries({"description": texts, "verdict_required": st.booleans()})
ids = st.sampled_from(["", "0" * 16, "a" * 16, "b" * 16, "c" * 16, "x"])
times = st.sampled_from([None, 0, -1, "5", 1e300, True, 2**64 - 1, 2**64, "9" * 30])
wholes = st.sampled_from([0, -1, 10**4299, 2**63])
any_values = st.one_of(
    st.fixed_dictionaries({"stringValue": texts | st.just('[{"a": "[1, NaN]"}]')}),
    st.fixed_dictionaries({"intValue": wholes}),
    st.fixed_dictionaries({"doubleValue": st.floats()}),
    st.fixed_dictionaries({"arrayValue": json_values}),
    json_values,
)
sound_values = st.one_of(
    st.fixed_dictionaries({"stringValue": texts | st.just('[{"a": "[1, NaN]"}]')}),
    st.fixed_dictionaries({"intValue": wholes}),
    st.fixed_dictionaries({"doubleValue": st.floats()}),
)
usage = st.sampled_from(["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "\ud800"])
attributes = st.lists(
    st.fixed_dictionaries({"key": usage | texts, "value": any_values}), max_size=3
)
spans = st.fixed_dictionaries(
    {"traceId": st.just("a" * 32), "spanId": ids, "name": texts | st.just("\ud800")},
    optional={
        "parentSpanId": ids,
        "startTimeUnixNano": times,
        "endTimeUnixNano": times,
        "attributes": attributes | json_values,
        "events": st.lists(json_values | st.fixed_dictionaries({"attributes": attributes}))
        | json_values,
        "status": st.fixed_dictionaries({"code": st.integers(0, 3), "message": texts})
        | json_values,
    },
)
sound_spans = st.fixed_dictionaries(
    {
        "traceId": st.just("a" * 32),
        "spanId": st.sampled_from(["a" * 16, "b" * 16, "c" * 16]),
        "parentSpanId": st.sampled_from(["", "a" * 16, "b" * 16, "c" * 16, "d" * 16]),
        "name": texts | st.just("\ud800"),
        "startTimeUnixNano": st.integers(0, 2**64 - 1),
        "endTimeUnixNano": st.integers(0, 2**64 - 1),
        "attributes": st.lists(
            st.fixed_dictionaries({"key": usage, "value": sound_values}), max_size=3
        ),
        "status": st.fixed_dictionaries({"code": st.integers(0, 3), "message": texts}),
    }
)
documents = st.builds(
    lambda spans: json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}),
    st.lists(spans, max_size=4) | st.lists(sound_spans, min_size=1, max_size=4),
)
traces: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"otlp_json": documents | json_values.map(json.dumps) | texts}),
    st.fixed_dictionaries({"otlp_protobuf": st.binary(max_size=60)}),
    st.just({}),
)
unset = st.none()
candidates = st.sampled_from(["```json\n{}\n```", "[1, 2", "42 or 1e999", "\x00", "9" * 400])
submissions = st.builds(
    submission_pb2.Submission,
    task=texts,
    candidate=texts | candidates,
    rubric=st.fixed_dictionaries({"criteria": rubrics}),
    messages=st.lists(turns, max_size=2),
    context=json_objects,
    turn=unset | run_turns,
    process=unset | processes,
    scenario=unset | scenarios,
    trace=unset | traces,
    policy_violations=st.lists(texts | st.just("a\n\x1b[2J<<<"), max_size=2),
)
