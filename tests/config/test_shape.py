"""What the file may hold is said in words, the same in messages and in the reference."""

from typing import Any

import pytest

from consensus.config.positions import Path
from consensus.config.shape import NAME, allowed, choices, keys, kind, node_at, suggestion
from consensus.validators import soundness
from consensus.validators.expressions import MAX_PATTERN

STAGE: Path = ("policies", "any", "stages", 0)
CHECK: Path = (*STAGE, "checks", 3)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("version",), "1"),
        (("default_policy",), "text"),
        (("judges",), "a mapping"),
        (("policies",), "a mapping of at least 1 entry"),
        (("judges", "mine", "tls"), "a mapping"),
        ((*STAGE[:3],), "a list of 1 to 16 entries"),
        ((*STAGE, "name"), NAME),
        ((*STAGE, "on_pass"), "advance or accept"),
        ((*STAGE, "gate", "min_score"), "a number from 0 to 1"),
        ((*STAGE, "panel", "n"), "a whole number from 1 to 32"),
        ((*STAGE, "panel", "trim"), "a number at least 0, below 0.5"),
        ((*STAGE, "panel", "threshold"), "a number above 0, at most 1"),
        ((*CHECK, "numeric", "value"), "a number"),
        ((*CHECK, "json_schema"), "a mapping"),
        (("policies", "any", "enabled"), "true or false"),
        (("policies", "any", "description"), "text of at most 2000 characters"),
        (("policies", "any", "rubric"), "required, optional or a mapping"),
        (("policies", "stages", "stages", 0, "name"), NAME),
    ],
)
def test_what_is_allowed_is_said_in_words(path: Path, words: str) -> None:
    assert allowed(node_at(path)) == words


def test_counts_of_one_kind_of_bound_are_said() -> None:
    node: dict[str, Any] = {"type": "array", "minItems": 2}
    assert allowed(node) == "a list of at least 2 entries"


def test_keys_are_those_of_the_section() -> None:
    assert keys(node_at((*STAGE, "gate"))) == ["min_score", "min_confidence", "min_agreement"]
    assert keys(node_at((*CHECK, "json_schema"))) == []


def test_kinds_and_choices_are_told_apart() -> None:
    assert kind(node_at((*STAGE, "on_fail"))) == "choice"
    assert choices(node_at((*STAGE, "on_fail"))) == ["retry", "escalate", "advance"]
    assert choices(node_at((*STAGE, "name"))) == []


def test_close_words_are_suggested() -> None:
    assert suggestion("covrage", ["checks", "coverage"]) == " (did you mean 'coverage'?)"
    assert suggestion("colour", ["checks", "coverage"]) == ""


@pytest.mark.parametrize(
    ("key", "bound", "limit"),
    [
        ("contains", "maxLength", soundness.MAX_TEXT),
        ("not_contains", "maxLength", soundness.MAX_TEXT),
        ("contains_all", "maxItems", soundness.MAX_VALUES),
        ("regex", "maxLength", MAX_PATTERN),
        ("code_block", "maxLength", soundness.MAX_LANGUAGE),
    ],
)
def test_the_file_and_requests_have_the_same_bounds(key: str, bound: str, limit: int) -> None:
    assert node_at((*CHECK, key))[bound] == limit
