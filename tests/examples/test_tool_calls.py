"""The example tool calls get the answers that the README promises."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from consensus.cli.judge_tool import command
from tests.examples.folder import POLICIES, TOOL_CALLS, readme_table
from tests.examples.test_policies import without_backends

TABLE = [(file, answer, int(code)) for file, _, answer, code in readme_table("Tool calls")]


def test_the_readme_lists_every_tool_call() -> None:
    assert sorted(file for file, _, _ in TABLE) == sorted(f.name for f in TOOL_CALLS.iterdir())


def test_every_exit_code_is_shown() -> None:
    assert {code for _, _, code in TABLE} == {0, 1, 2}


@pytest.mark.parametrize(("file", "answer", "code"), TABLE)
def test_a_tool_call_gets_the_answer_that_the_readme_promises(
    file: str, answer: str, code: int, tmp_path: Path
) -> None:
    policies = without_backends(POLICIES / "tool_calls.yaml", tmp_path)
    arguments = [str(TOOL_CALLS / file), "--policy-file", str(policies), "--json"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == code, result.output
    reply = json.loads(result.output)
    denial = reply.get("denial", "DENIAL_").removeprefix("DENIAL_")
    assert answer == ("allowed" if reply.get("allowed") else denial)
