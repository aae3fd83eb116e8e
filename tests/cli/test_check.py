"""`consensus check`: every fault with its file and line, or the policies as loaded."""

from pathlib import Path

import pytest

from tests.cli.running import run, write

GOOD = """\
version: 1
default_policy: strict
judges:
  a-judge-with-a-name-that-is-as-long-as-names-may-be-0123456789-a: {kind: remote, target: "h:1"}
policies:
  strict:
    description: "[red]no markup[/red] [/x]"
    stages:
      - name: cheap
        checks:
          - {regex: "[a-z]+[/x]"}
      - name: bench
        panel:
          strategy: weighted_average
          quorum: 2
          seats:
            - {judge: checks, weight: 2.5}
            - {judge: a-judge-with-a-name-that-is-as-long-as-names-may-be-0123456789-a}
        gate: {min_score: 0.8, min_agreement: 0.5, min_confidence: 0.25}
        on_unsure: escalate
        on_no_quorum: fail
  spare:
    enabled: false
    stages:
      - {name: only, checks: [{contains: x}]}
"""
BAD = """\
version: 1
policies:
  default:
    stages:
      - name: bench
        panel:
          quorum: 3
          seats:
            - {judge: checks, wieght: 2}
            - {judge: nobody}
"""


def test_the_bundled_policy_is_sound() -> None:
    ran = run("check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0].startswith("default sha256:")
    assert "weighted_average" in ran.out
    assert ran.out.endswith("The bundled policy is sound.\n")


def test_in_60_columns_no_word_of_a_condition_is_broken() -> None:
    out = run("check", columns=60).out
    assert max(len(line) for line in out.splitlines()) <= 60
    assert "weighted_average" in out


def test_a_sound_file_is_shown_whole_in_80_columns(tmp_path: Path) -> None:
    file = write(tmp_path / "policy.yaml", GOOD)
    ran = run("check", file)
    out = ran.out
    assert ran.code == 0
    assert max(len(line) for line in out.splitlines()[:-1]) <= 80
    assert "…" not in out
    assert "[red]no markup[/red] [/x]" in out
    assert "matches /[a-z]+[/x]/" in out
    for words in (
        "strict sha256:",
        "(default)",
        "(disabled)",
        "checks x 2.5",
        "weighted_average",
        "quorum 2",
        "score >= 0.8",
        "confidence >= 0.25",
        "agreement >= 0.5",
        "pass: advance",
        "fail: retry",
        "unsure: escalate",
        "no quorum: fail",
        "all hold",
    ):
        assert words in out, words
    assert out.endswith(f"{file} is sound.\n")


def test_a_long_name_is_folded_and_not_cut(tmp_path: Path) -> None:
    out = run("check", write(tmp_path / "policy.yaml", GOOD)).out
    rows = [line for line in out.splitlines() if "x 1" in line or "name-that" in line]
    assert rows
    assert "a-judge-with-a-name-that" in "".join(rows)


def test_tool_rules_are_shown_with_their_checks(tmp_path: Path) -> None:
    skipped = "  - {match: fs.read, skip_judge: true, arguments: {json_schema: {}}}\n"
    judged = "  - {match: 'fs.*', policy: spare, arguments: {deny: ['^/etc']}}\n"
    ran = run("check", write(tmp_path / "policy.yaml", f"{GOOD}tools:\n{skipped}{judged}"))
    for words in ("tools sha256:", "fs.read", "by schema", "allowed", "never /^/etc/", "by spare"):
        assert words in ran.out


def test_quiet_says_nothing_of_a_sound_file(tmp_path: Path) -> None:
    ran = run("check", write(tmp_path / "policy.yaml", GOOD), "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_every_fault_is_one_line_with_file_line_and_key(tmp_path: Path, quiet: list[str]) -> None:
    file = write(tmp_path / "policy.yaml", BAD)
    ran = run("check", file, *quiet)
    *faults, count = ran.err.splitlines()
    assert (ran.code, ran.out) == (3, "")
    assert faults
    assert all(line.startswith(f"{file}:") for line in faults)
    assert any(line.startswith(f"{file}:9: policies.default.stages[0].panel.") for line in faults)
    assert any("did you mean 'weight'" in line for line in faults)
    assert count == f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 1),
        ("version: 1\npolicies: {a: [}\n", 2),
        ("policies: {}\nversion: 1\n", 1),
        ("- a\n- b", 1),
    ],
)
def test_a_file_that_is_no_policy_file_is_told_where(
    tmp_path: Path, content: str, line: int
) -> None:
    file = write(tmp_path / "policy.yaml", content)
    ran = run("check", file)
    assert ran.code == 3
    assert ran.err.startswith(f"{file}:{line}: ")


def test_a_missing_file_is_a_fault_too() -> None:
    ran = run("check", "/no/such/policy.yaml")
    assert ran.code == 3
    assert "No such file or directory" in ran.err
    assert ran.err.endswith("1 fault\n")
