"""Bad input ends with exit code 3 and a sentence that names the file and the place."""

import contextlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consensus.cli import BadInput, main
from consensus.cli.demo import served
from consensus.cli.reading import MAX_BYTES, read_request
from tests.cli.running import COMMAND, FIRST, SECOND, run, write


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bogus"], "No such command 'bogus'"),
        (["jugde"], "No such command 'jugde'. Did you mean 'judge'?"),
        (["--bogus"], "No such option '--bogus'"),
        (["judge"], "Missing argument 'FILE'"),
        (["judge-tool"], "Missing argument 'FILE'"),
        (["judge-tool", str(FIRST), "--target", "a", "--policy-file", "b"], "--policy-file judges"),
        (["judge-tool", "/no/such/file.json"], "/no/such/file.json: No such file or directory"),
        (["judge", "--bogus", "x"], "No such option '--bogus'"),
        (["judge", str(FIRST), "more"], "Got unexpected extra argument"),
        (["judge", str(FIRST), "--timeout-seconds", "0"], "'--timeout-seconds': 0.0 is not in"),
        (["judge", str(FIRST), "--target", "a", "--policy-file", "b"], "--policy-file judges in"),
        (["judge", str(FIRST), "--validation-results"], "--validation-results goes with --json"),
        (["judge", str(FIRST), "--timeout-seconds", "nan"], "nan is no number of seconds"),
        (["serve", "--max-deadline-seconds", "nan"], "nan is no number of seconds"),
        (["serve", "--reload-seconds", "inf"], "inf is no number of seconds"),
        (["serve", "--metrics", "unix:/run/metrics"], "must be HOST:PORT"),
        (["serve", "--listen", "127.0.0.1:²"], "must be HOST:PORT"),
        (["policies", "--target", "a", "--policy-file", "b"], "--policy-file lists a file's"),
        (["policies", "--policy-file", "/no/such.yaml"], "/no/such.yaml:1: (file): "),
        (["policies", "--timeout-seconds", "0"], "'--timeout-seconds': 0.0 is not in"),
        (["policies", "more"], "Got unexpected extra argument"),
        (["health", "--timeout-seconds", "inf"], "inf is no number of seconds"),
        (["serve", "--log-level", "loud"], "'loud' is not one of"),
        (["health", "--timeout-seconds", "never"], "'never' is not a valid float"),
        (["judge", "/no/such/file.json"], "/no/such/file.json: No such file or directory"),
        (["judge", "/"], "/: Is a directory"),
        (["judge", str(FIRST), "--policy", "nope"], "policy: is 'nope'; must be one of default"),
        (["judge", str(FIRST), "--policy-file", "/no/such.yaml"], "/no/such.yaml:1: (file): "),
    ],
)
def test_a_mistaken_command_line_is_told_what_is_wrong(arguments: list[str], words: str) -> None:
    ran = run(*arguments)
    assert ran.code == 3
    assert ran.out == ""
    assert words in ran.err


def test_no_command_prints_them_all_and_help_is_no_mistake() -> None:
    assert run().code == 3
    asked = run("--help")
    assert asked.code == 0
    for name in (
        "serve",
        "check",
        "judge",
        "judge-tool",
        "derive",
        "trace",
        "demo",
        "health",
        "policies",
    ):
        assert name in asked.out
        assert run(name, "-h").code == 0
    assert run("--version").out.startswith("consensus, version ")


TASK = '"task": "x", "candidate": "y"'
FILES = {
    "typo": ('{"taks": "x"}', 'no field named "taks"'),
    "typo below": ('{"rubric": {"criterions": []}}', 'no field named "criterions"'),
    "not JSON": ('{"task": "x",\n "candidate": nope}', ":2:15: not JSON: Expecting value"),
    "empty": ("", ":1:1: not JSON: Expecting value"),
    "a list": ("[1]", "is a list; must be an object with `task` and `candidate`"),
    "null": ("null", "is a NoneType; must be an object"),
    "nested without end": ("[" * 100_000, "nested too deep"),
    "nested deep": ('{"context": ' + '{"a":' * 200 + "1" + "}" * 201, "too deep"),
    "a wrong type": ('{"task": 5}', "Failed to parse task field"),
    "a wrong enum": ('{"submission": {}, "overrides": {"strategy": "BEST"}}', "Invalid enum"),
    "two kinds of check": (
        '{"rubric": {"criteria": [{"checks": [{"contains": "a", "regex": "b"}]}]}}',
        'should not have multiple "kind"',
    ),
    "half a character": ('{"task": "\\ud800"}', "urrogate"),
    "half a character in a name": ('{"\\ud800": 1}', "half a character in a field's name"),
    "a key twice": (
        '{"task": "x", "rubric": {"criteria": [], "criteria": []}}',
        "'criteria' twice",
    ),
    "a number of 5,000 digits": ('{"context": {"a": ' + "9" * 5000 + "}}", "too long"),
    "a number of 400 digits": ('{"context": {"a": ' + "9" * 400 + "}}", "too large"),
    "an endless number": ("{" + TASK + ', "context": {"a": 1e999}}', "context.a: is inf"),
    "no rubric": ("{" + TASK + "}", "submission.rubric.criteria: is empty; policy 'default'"),
    "no candidate": ('{"task": "x"}', "submission.candidate: is empty"),
    "no submission": ('{"submission": null}', "submission: is missing"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_is_no_submission_is_named_with_its_fault(case: str, tmp_path: Path) -> None:
    content, words = FILES[case]
    file = write(tmp_path / "draft.json", content)
    ran = run("judge", file)
    assert ran.code == 3
    assert ran.out == ""
    assert ran.err.startswith(f"Error: {file}")
    assert words in ran.err
    assert ran.err.count("\n") <= 3


def test_a_misspelt_field_is_told_on_one_line_with_its_place_and_the_fields(
    tmp_path: Path,
) -> None:
    file = write(tmp_path / "draft.json", '{"rubric": {"criteria": [{"text": "a", "wieght": 2}]}}')
    place = "Submission.rubric.criteria[0]"
    assert run("judge", file).err == (
        f'Error: {file}: Message type "consensus.v1.Criterion" has no field named "wieght" at'
        f' "{place}"; the fields are id, text, required, weight, checks\n'
    )


def test_fields_are_told_as_the_contract_spells_them(tmp_path: Path) -> None:
    file = write(tmp_path / "draft.json", '{"policy_violation": []}')
    assert "process, policy_violations, trace, scenario\n" in run("judge", file).err


@pytest.mark.parametrize("command", ["judge", "judge-tool", "derive"])
def test_standard_input_is_named_too(command: str) -> None:
    assert run(command, "-", stdin="{").err.startswith("Error: standard input:1:2: not JSON")
    for line in run(command, "-", stdin="{}").err.removeprefix("Error: ").splitlines():
        assert line.startswith("standard input: ")


def test_standard_input_that_is_closed_is_bad_input() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" <&-', "sh", *COMMAND, "judge", "-"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (3, "Error: standard input: is closed\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_decision_that_cannot_be_printed_is_a_failure_and_no_verdict(form: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "judge", str(FIRST), *form], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (4, "Error: No space left on device\n")


def test_a_bug_is_a_failure_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("consensus.cli.judge.read_request", lambda file: 1 / 0)
    with pytest.raises(SystemExit) as ended:
        main(["judge", str(FIRST)])
    assert ended.value.code == 4
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no endless file")
def test_an_endless_file_is_refused_at_the_limit() -> None:
    assert run("judge", "/dev/zero").err == f"Error: /dev/zero: larger than {MAX_BYTES} bytes\n"


def test_a_file_in_another_encoding_or_too_large_is_refused(tmp_path: Path) -> None:
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"task": "é"}'.encode("latin-1"))
    assert "not UTF-8 at byte 10" in run("judge", latin).err
    large = write(tmp_path / "large.json", " " * (MAX_BYTES + 1))
    assert f"larger than {MAX_BYTES} bytes" in run("judge", large).err


def test_a_server_that_refuses_the_request_makes_it_bad_input_as_well() -> None:
    with served() as address:
        ran = run("judge", SECOND, "--target", address, "--policy", "nope")
    assert ran.code == 3
    assert f"{address} answered INVALID_ARGUMENT: request.policy: is 'nope'" in ran.err


def test_every_field_that_a_server_refuses_is_told() -> None:
    with served() as address:
        ran = run("derive", SECOND, "--target", address)
    assert ran.code == 3
    head, *lines = ran.err.splitlines()
    assert head == f"Error: {address} answered INVALID_ARGUMENT:"
    assert [line.partition(": ")[0] for line in lines] == [
        "request.submission.rubric.criteria",
        "request.derive_criteria.judge",
    ]


FIELDS = """
submission task candidate outputs rubric criteria id text weight checks contains contains_all values
json_schema numeric value length min_words messages role context overrides strategy n request_id
"""
keys = st.sampled_from(FIELDS.split()) | st.text(max_size=2)
leaves: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(), max_size=4),
    st.sampled_from([10**400, -(10**30), "NaN", "Infinity", "1e999", 2**31, 3.5]),
)
anything = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
quiet = settings(max_examples=150, suppress_health_check=list(HealthCheck))


@quiet
@given(st.dictionaries(keys, anything, max_size=5))
def test_any_json_is_read_or_refused_with_a_sentence(tmp_path: Path, value: object) -> None:
    file = tmp_path / "any.json"
    file.write_text(json.dumps(value), "utf-8", "surrogatepass")
    with contextlib.suppress(BadInput):
        read_request(file)
