"""`consensus trace`: the digest of a file, what is asked of it, and what is wrong with it."""

import json
import os
from pathlib import Path

import pytest

from consensus.traces import Trace, digest
from tests.cli.running import run
from tests.traces.building import SAMPLE, span
from tests.traces.test_digest import PAGE
from tests.wire.otlp_documents import json_bytes, protobuf_bytes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Scenario's sample as OTLP/JSON."""
    written = tmp_path / "trace.json"
    written.write_bytes(json_bytes(SAMPLE))
    return written


def test_the_digest_of_a_file_is_printed(file: Path) -> None:
    ran = run("trace", file)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == digest(Trace.of(SAMPLE)).text + "\n"
    assert run("trace", file, "--bare").out == PAGE


def test_protobuf_is_read_too(tmp_path: Path) -> None:
    written = tmp_path / "trace.binpb"
    written.write_bytes(protobuf_bytes(SAMPLE))
    assert run("trace", written, "--bare").out == PAGE


def test_standard_input_is_read() -> None:
    ran = run("trace", "-", "--bare", stdin=json_bytes(SAMPLE).decode())
    assert ran.out == PAGE


def test_the_digest_as_json_says_its_size(file: Path) -> None:
    said = json.loads(run("trace", file, "--json").out)
    text = digest(Trace.of(SAMPLE)).text
    assert said == {"digest": text, "spans": 4, "tokens": -(-len(text) // 4), "whole": True}


def test_a_smaller_budget_tells_the_tree_alone(file: Path) -> None:
    said = json.loads(run("trace", file, "--json", "--tokens", 20).out)
    assert not said["whole"]
    assert "expand_trace" in said["digest"]
    assert "Paris" not in said["digest"]


def test_spans_are_expanded(file: Path) -> None:
    ran = run("trace", file, "--expand", "c2d3", "--expand", "a0b1c2d3")
    assert ran.code == 0
    assert ran.out.startswith("[a0b1c2d3] 2023-11-14T22:13:20.100Z llm.call (400ms)\n")
    assert "\n[c2d3e4f5] " in ran.out
    assert json.loads(run("trace", file, "--json", "--expand", "c2d3").out)["count"] == 1


def test_a_search_is_answered(file: Path) -> None:
    ran = run("trace", file, "--grep", "SUNNY")
    assert ran.out.count("---\n") == 2
    assert json.loads(run("trace", file, "--json", "--grep", "SUNNY").out)["count"] == 2
    nothing = run("trace", file, "--grep", "nowhere")
    assert nothing.code == 0
    assert nothing.out.startswith('No matches found for "nowhere".')


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--expand", "ffff"],
            "Error: no span has such an id (4 digits at least). There are: f0",
        ),
        (["--grep", ""], "Error: the pattern has 0 characters; it must have 1 to 1000."),
        (["--grep", "x", "--expand", "ffff"], "Error: --expand and --grep are two questions"),
        (["--max-spans", 3], "trace.json: has more than 3 spans"),
        (["--max-bytes", 99], "trace.json: has more than 99 bytes"),
        (["--max-depth", 1], "trace.json: span a0b1c2d300000000 is nested 2 deep; 1 at most"),
        (["--tokens", -1], "Invalid value for '--tokens'"),
        (["--structure-tokens", 5], "Invalid value for '--structure-tokens'"),
    ],
)
def test_bad_questions_and_limits_are_told(file: Path, options: list[object], message: str) -> None:
    ran = run("trace", file, *options)
    assert (ran.code, ran.out) == (3, "")
    assert message in ran.err


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    ran = run("trace", tmp_path / "none.json")
    assert ran.code == 3
    assert ran.err.endswith("none.json: No such file or directory\n")


def test_a_file_that_is_no_trace_is_told_with_the_place(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_bytes(json_bytes([span("a"), span("b")]).replace(b"B000", b"X000"))
    ran = run("trace", file)
    assert ran.code == 3
    place = "resourceSpans[1].scopeSpans[0].spans[0].spanId"
    assert f"trace.json: {place}: is 'x000000000000000'; must be 16" in ran.err


def test_text_of_a_trace_cannot_command_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_bytes(json_bytes([span("a", "\x1b[2J\u202e", attributes={"\x1b": "\x1b]0;x\x07"})]))
    assert not {"\x1b", "\x07", "\u202e"} & set(run("trace", file).out)
    assert os.linesep in run("trace", file).out
