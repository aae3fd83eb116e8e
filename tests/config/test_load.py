"""A policy file becomes policies, or everything that is wrong with it, and nothing else."""

import shutil
from pathlib import Path

import grpc
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from consensus.config import load_policies, parse_policies
from consensus.config.load import BUNDLED
from consensus.config.nodes import MAX_BYTES
from consensus.domain.errors import PolicyFileError
from consensus.domain.policy import Action, Settle, StrategyName, Tie
from consensus.domain.submission import (
    CheckTarget,
    CodeBlock,
    Contains,
    ContainsAll,
    ExitCode,
    JsonSchema,
    LengthLimit,
    NotContains,
    NumericAnswer,
    Regex,
)
from consensus.validators import check_faults
from tests.config.policies import FILE, default, faults, parsed, policy, rules

FIXTURES = Path(__file__).with_name("faults")


def told(file: Path) -> list[str]:
    with pytest.raises(PolicyFileError) as error:
        load_policies(file, check_faults)
    return error.value.lines()


def test_the_bundled_policy_is_sound_and_needs_no_network() -> None:
    policies = load_policies(BUNDLED, check_faults)
    (only,) = policies.policies.values()
    assert policies.default == only.name == "default"
    assert only.rubric_required
    assert {judge.kind for judge in policies.judges.values()} == {"embedded"}


def test_what_is_written_is_built() -> None:
    text = """
    judges:
      expert: {kind: remote, target: "dns:///judge:50061", judge: strict, tls: {server_name: j}}
    default_policy: careful
    policies:
      careful:
        description: Careful.
        rubric: required
        deadline_seconds: 12
        stages:
          - name: cheap
            checks: [{contains: a}]
            on_pass: accept
            on_fail: advance
          - name: dear
            panel:
              seats: [{judge: expert, weight: 2, timeout_seconds: 3}, {judge: conduct}]
              strategy: majority
              quorum: 2
              tie: escalate
              settle: early
              confidence: {agreement_factor: 1, self_confidence_factor: 0}
            gate: {min_score: 0.6, min_confidence: 0.1, min_agreement: 0.2}
            on_no_quorum: fail
      off: {enabled: false, stages: [{name: s, checks: [{regex: x}]}]}
    """
    policies = parsed(text)
    expert = policies.judges["expert"]
    assert (expert.kind, expert.target, expert.remote_judge) == (
        "remote",
        "dns:///judge:50061",
        "strict",
    )
    assert (expert.tls, expert.tls_server_name, expert.tls_ca_file) == (True, "j", "")
    assert not policies.policies["off"].enabled
    careful = policies.policies[policies.default]
    assert (careful.description, careful.rubric_required) == ("Careful.", True)
    assert careful.deadline_seconds == 12
    cheap, dear = careful.stages
    assert (cheap.on_pass, cheap.on_fail, cheap.on_no_quorum) == (
        Action.ACCEPT,
        Action.ADVANCE,
        None,
    )
    assert cheap.panel is None
    assert dear.panel is not None
    assert [(seat.judge, seat.weight, seat.timeout_seconds) for seat in dear.panel.seats] == [
        ("expert", 2, 3),
        ("conduct", 1, 10),
    ]
    assert (dear.panel.strategy, dear.panel.quorum) == (StrategyName.MAJORITY, 2)
    assert (dear.panel.tie, dear.panel.settle) == (Tie.ESCALATE, Settle.EARLY)
    assert (dear.panel.factors.agreement, dear.panel.factors.self_confidence) == (1, 0)
    assert (dear.gate.min_score, dear.gate.min_confidence, dear.gate.min_agreement) == (
        0.6,
        0.1,
        0.2,
    )
    assert (dear.on_pass, dear.on_no_quorum) == (Action.ACCEPT, Action.FAIL)


def test_every_kind_of_check_is_built() -> None:
    written = [
        {"contains": "a", "output": "o"},
        {"contains_all": ["a", "b"]},
        {"not_contains": "a"},
        {"regex": "a+"},
        {"json_schema": {"type": "object"}},
        {"numeric": {"value": 3, "tolerance": 0.5}},
        {"length": {"max_words": 9}},
        {"code_block": "go"},
        {"exit_code": {"expected": 3, "stderr_score": 0.85}},
        {"contains": "a", "target": "stderr"},
    ]
    (stage,) = default(rules({"default": {"stages": [{"name": "s", "checks": written}]}})).stages
    assert [check.kind for check in stage.checks] == [
        Contains("a"),
        ContainsAll(("a", "b")),
        NotContains("a"),
        Regex("a+"),
        JsonSchema({"type": "object"}),
        NumericAnswer(3, 0.5),
        LengthLimit(max_words=9),
        CodeBlock("go"),
        ExitCode(3, stderr_score=0.85),
        Contains("a"),
    ]
    assert stage.checks[0].output == "o"
    assert stage.checks[-1].target is CheckTarget.STDERR


@pytest.mark.parametrize(
    ("gate", "threshold", "expected"),
    [
        ({}, None, 0.7),
        ({"min_score": 0.4}, None, 0.4),
        ({"min_score": 0}, None, 0.7),
        ({}, 0.9, 0.9),
    ],
)
def test_the_threshold_is_the_gate_unless_written(
    gate: dict[str, float], threshold: float | None, expected: float
) -> None:
    written = policy(threshold=threshold)
    written["stages"][0]["gate"] = gate
    (stage,) = default(rules({"default": written})).stages
    assert stage.panel is not None
    assert stage.panel.threshold == expected


@pytest.mark.parametrize(
    ("names", "chosen", "expected"),
    [(["a"], None, "a"), (["a", "default"], None, "default"), (["a", "b"], "b", "b")],
)
def test_the_default_policy_is_the_one_named_or_the_only_one(
    names: list[str], chosen: str | None, expected: str
) -> None:
    text = rules({name: policy() for name in names}, default_policy=chosen)
    assert parsed(text).default == expected


def test_a_certificate_is_looked_for_beside_the_policy_file(tmp_path: Path) -> None:
    roots = Path(grpc.__file__).parent / "_cython/_credentials/roots.pem"
    shutil.copy(roots, tmp_path / "ca.pem")
    tls = {"kind": "remote", "target": "dns:///j:1", "tls": {"ca_file": "ca.pem"}}
    text = rules(judges={"mine": tls})
    file = tmp_path / "policy.yaml"
    policies = parse_policies(text, file, check_faults)
    assert policies.judges["mine"].tls_ca_file == str(tmp_path / "ca.pem")
    (tmp_path / "ca.pem").unlink()
    file.write_text(text)
    assert told(file)[0].endswith("must be a file, and there is none")


def test_all_faults_are_told_at_once_in_the_order_of_their_lines() -> None:
    lines = told(FIXTURES / "several_faults.yaml")
    numbers = [int(line.split(":")[1]) for line in lines]
    assert len(numbers) == 3
    assert numbers == sorted(numbers)


def test_a_missing_file_is_told() -> None:
    assert told(Path("none.yaml")) == [
        "none.yaml:1: (file): cannot be read: No such file or directory"
    ]


def test_a_folder_is_told(tmp_path: Path) -> None:
    assert told(tmp_path) == [f"{tmp_path}:1: (file): cannot be read: Is a directory"]


def test_a_file_that_is_not_utf_8_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "latin.yaml"
    file.write_bytes(b"policies:\n  # caf\xe9\n")
    assert told(file) == [f"{file}:2: (file): is not UTF-8 at byte 17"]


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    file.write_bytes(b"#" * (MAX_BYTES + 100))
    words = f"has {MAX_BYTES + 1} bytes; must have at most {MAX_BYTES}"
    assert told(file) == [f"{file}:1: (file): {words}"]


def test_a_byte_order_mark_is_no_fault() -> None:
    assert faults("\ufeff" + rules()) == []


def test_null_is_as_good_as_absent() -> None:
    written = policy(n=None, threshold=None)
    written["stages"][0].update(gate=None, checks=None)
    assert faults(rules({"default": written}, default_policy=None)) == []


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_are_policies_or_faults(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_bytes(data)
    assert told(file)


YAML = st.text("&*!?|>-:,[]{}#'\"% \n\tab1._~<=@`\ud800\x00", max_size=40)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=9),
    st.dates(),
    st.binary(max_size=4),
)
KEYS = st.sampled_from(
    ["policies", "default", "judges", "stages", "name", "panel", "seats", "judge", "weight", "x"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=300)
@given(YAML | st.text(max_size=60) | VALUES.map(lambda value: yaml.dump(value)))
@example("!!int x: !!bool x")
@example("- !!timestamp x\n- !!float ''\n- !!set x\n- =\n- <<")
@example("&a [*a, *a]: *b")
@example("a: '\\ud800'\nb: \"\\ud800\"")
@example("a: " + "1:" * 20_000 + "1")
@example("? " * 2_000)
@example("[" * 100_000)
@example("{a: " * 100_000)
@example("- " * 100_000)
def test_any_text_is_policies_or_faults(text: str) -> None:
    assert all(line.startswith(f"{FILE}:") for line in faults(text))


@settings(max_examples=200)
@given(VALUES, st.data())
def test_any_value_anywhere_is_taken_or_told_with_its_key(
    value: object, data: st.DataObject
) -> None:
    written = policy(seats=2)
    stage = written["stages"][0]
    place, key = data.draw(
        st.sampled_from(
            [
                (written, "deadline_seconds"),
                (written, "description"),
                (stage, "name"),
                (stage, "gate"),
                (stage, "on_fail"),
                (stage, "checks"),
                (stage["panel"], "threshold"),
                (stage["panel"], "quorum"),
                (stage["panel"], "seats"),
                (stage["panel"]["seats"][1], "weight"),
                (stage["panel"], "confidence"),
            ]
        )
    )
    place[key] = value
    text = yaml.dump({"policies": {"default": written}})
    for line in faults(text):
        number, where = line.removeprefix(f"{FILE}:").split(":")[:2]
        assert 1 <= int(number) <= text.count("\n") + 1
        assert where.strip().startswith(("policies.default", "(file)"))
