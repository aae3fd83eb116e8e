"""`consensus check --live`: what the models accept, beside what the file claims."""

from pathlib import Path
from typing import Any

from consensus_client.testing import FakeLlm

from tests.cli.running import Ran, run, write

PANEL = {"strategy": "median", "quorum": 1, "seats": [{"judge": "checks"}]}
STAGE = {"name": "bench", "panel": PANEL, "on_no_quorum": "retry"}
EVERYTHING = {"seed": True, "structured": "tool"}


def checked(folder: Path, *options: str, terminal: bool = False, **backends: Any) -> Ran:
    """Check a policy file with a judge for each backend."""
    judges = {f"j-{name}": {"kind": "llm", "backend": name, "model": "m"} for name in backends}
    content = {
        "version": 1,
        "backends": {name: {"kind": "openai_chat", **keys} for name, keys in backends.items()},
        "judges": judges,
        "policies": {"default": {"stages": [STAGE]}},
    }
    file = write(folder / "policy.yaml", content)
    return run("check", "--live", file, *options, terminal=terminal)


def test_models_that_accept_what_the_file_claims_are_sound(tmp_path: Path) -> None:
    with FakeLlm() as fake:
        url = fake.base_url
        claims = {"base_url": url, "capabilities": EVERYTHING}
        ran = checked(tmp_path, one={"base_url": url}, two=claims)
    assert (ran.code, ran.err) == (0, "")
    for words in ("one / m", "two / m", url, "json_schema", "accepted", "claims it"):
        assert words in ran.out, words
    assert ran.out.endswith("Every model accepts what the file claims.\n")
    assert max(len(line) for line in ran.out.splitlines() if "policy.yaml" not in line) <= 80


def test_a_claim_that_is_not_kept_is_a_fault_of_the_file(tmp_path: Path) -> None:
    with FakeLlm(rejects=["temperature", "json_schema"]) as fake:
        ran = checked(tmp_path, one={"base_url": fake.base_url})
    assert ran.code == 3
    assert ran.err.splitlines() == [
        "one / m: the file claims json_schema, the backend says: rejected",
        "one / m: the file claims temperature, the backend says: rejected",
    ]
    assert "✗" in ran.out


def test_a_model_that_cannot_be_asked_is_a_failure(tmp_path: Path) -> None:
    with FakeLlm(key="sk-right") as fake:
        ran = checked(
            tmp_path, one={"base_url": "http://127.0.0.1:1/v1"}, two={"base_url": fake.base_url}
        )
    assert ran.code == 4
    assert ran.err.splitlines() == [
        "one / m: it cannot be reached",
        "two / m: the backend answered 401: the key is not accepted",
    ]
    assert "not reached: it cannot be reached" in ran.out


def test_a_key_that_cannot_be_read_is_a_failure_of_its_model_alone(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.key", "")
    with FakeLlm() as fake:
        ran = checked(
            tmp_path,
            one={"base_url": fake.base_url, "api_key_file": str(empty)},
            two={"base_url": fake.base_url},
        )
    assert ran.code == 4
    assert ran.err.splitlines() == [
        "one / m: api_key_file cannot be read, is empty or not one line of ASCII"
    ]
    assert "two / m" in ran.out


def test_a_broken_claim_outweighs_a_failure(tmp_path: Path) -> None:
    with FakeLlm(rejects=["temperature"]) as fake:
        ran = checked(
            tmp_path, one={"base_url": "http://127.0.0.1:1/v1"}, two={"base_url": fake.base_url}
        )
    assert ran.code == 3


def test_quiet_says_only_what_is_wrong(tmp_path: Path) -> None:
    with FakeLlm() as fake:
        ran = checked(tmp_path, "--quiet", one={"base_url": fake.base_url})
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        lacking = {"base_url": fake.base_url, "capabilities": {"logprobs": True}}
        ran = checked(tmp_path, "--quiet", one=lacking)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "one / m: the file claims logprobs, the backend says: ignored\n"


def test_a_terminal_shows_what_is_being_tried(tmp_path: Path) -> None:
    with FakeLlm() as fake:
        ran = checked(tmp_path, terminal=True, one={"base_url": fake.base_url})
    assert ran.code == 0
    assert "one / m" in ran.err


def test_without_models_and_remote_judges_there_is_nothing_to_try() -> None:
    ran = run("check", "--live")
    assert ran.code == 0
    assert ran.err == "No judge asks a model or a server: nothing to try.\n"


def test_a_faulty_file_asks_nobody(tmp_path: Path) -> None:
    with FakeLlm() as fake:
        ran = checked(tmp_path, one={"base_url": fake.base_url, "capabilites": {}})
        assert fake.connection_count == 0
    assert ran.code == 3
