"""The README's examples run, against a scripted server and against the real one."""

from pathlib import Path

import pytest
from consensus_client.testing import FakeConsensus

TARGET = "dns:///consensus:50051"
COUNT = 7


def run(example: str, target: str) -> None:
    """Run an example as a program of its own would."""
    exec(compile(example.replace(TARGET, target), "README.md", "exec"), {})  # noqa: S102


def test_it_is_short_and_shows_everything(project: Path, examples: list[str]) -> None:
    assert len((project / "README.md").read_text().splitlines()) <= 180
    assert len(examples) == COUNT
    for word in (
        " ConsensusClient(",
        "AsyncConsensusClient(",
        "batch_judge",
        "stream_judge",
        "trace=",
    ):
        assert any(word in example for example in examples)


@pytest.mark.parametrize("index", range(COUNT))
def test_an_example_runs_against_a_scripted_server(index: int, examples: list[str]) -> None:
    with FakeConsensus() as fake:
        run(examples[index], fake.target)
        assert fake.calls or "Fake" in examples[index]


@pytest.mark.parametrize("index", range(COUNT))
def test_an_example_runs_against_the_real_server(
    index: int, examples: list[str], server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(examples[index], server)
    assert "Error" not in capsys.readouterr().out


def test_the_first_example_is_accepted(
    examples: list[str], server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(examples[0], server)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ACCEPT ")
    assert lines[-1] == "Decision"


def test_the_loop_s_example_mends_what_the_real_server_sends_back(
    examples: list[str], server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    [example] = [example for example in examples if "JudgeLoop" in example]
    run(example, server)
    assert capsys.readouterr().out.startswith("ACCEPTED after 2 turns, 1 retry")
