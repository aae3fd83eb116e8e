"""A policy's own rubric as written: what it builds, what is refused, and where it counts."""

from typing import Any

import pytest

from consensus.domain.submission import Check, Contains, Criterion
from tests.config.policies import default, faults, policy, rules


def written(rubric: Any) -> str:
    return rules({"default": {**policy(), "rubric": rubric}})


def test_a_criterion_is_built_with_its_defaults() -> None:
    rubric = {
        "criteria": [
            {"id": "C1", "text": "Names the tower"},
            {"id": "C2", "text": "Is brief", "required": True, "weight": 2.5},
            {"id": "C3", "text": "Says nine", "checks": [{"contains": "nine"}]},
        ]
    }
    built = default(written(rubric))
    assert built.rubric == (
        Criterion(id="C1", text="Names the tower"),
        Criterion(id="C2", text="Is brief", required=True, weight=2.5),
        Criterion(id="C3", text="Says nine", checks=(Check(Contains("nine")),)),
    )
    assert not built.rubric_required


@pytest.mark.parametrize(("word", "required"), [("required", True), ("optional", False)])
def test_a_word_in_its_place_is_what_it_ever_was(word: str, required: bool) -> None:
    built = default(written(word))
    assert (built.rubric, built.rubric_required) == ((), required)


def test_what_it_says_is_part_of_the_revision() -> None:
    revisions = {
        default(written(rubric)).revision
        for rubric in (
            "optional",
            {"criteria": [{"id": "C1", "text": "A"}]},
            {"criteria": [{"id": "C1", "text": "B"}]},
        )
    }
    assert len(revisions) == 3


@pytest.mark.parametrize(
    ("rubric", "where", "words"),
    [
        ("requird", "rubric", "is 'requird'; must be required, optional or a mapping (did you"),
        (7, "rubric", "is 7; must be required, optional or a mapping"),
        ({}, "rubric.criteria", "is missing; must be a list of 1 to 256 entries"),
        ({"criteria": []}, "rubric.criteria", "must be a list of 1 to 256 entries"),
        ({"criterions": [], "criteria": [{"id": "a", "text": "b"}]}, "rubric.criterions", "no key"),
        (
            {"criteria": [{"id": "a b", "text": "c"}]},
            "rubric.criteria[0].id",
            "is 'a b'; must be a name",
        ),
        (
            {"criteria": [{"id": "a"}]},
            "rubric.criteria[0].text",
            "is missing; must be text of 1 to 4000 characters",
        ),
        (
            {"criteria": [{"id": "a", "text": "b"}, {"id": "a", "text": "c"}]},
            "rubric.criteria[1].id",
            "is 'a', which an earlier criterion has",
        ),
        (
            {"criteria": [{"id": "a", "text": "b", "weight": 0}]},
            "rubric.criteria[0].weight",
            "is 0; must be a number above 0, at most 1000000000",
        ),
        (
            {"criteria": [{"id": "a", "text": "b", "checks": [{"regex": "("}]}]},
            "rubric.criteria[0].checks[0].regex",
            "",
        ),
        (
            {"criteria": [{"id": "a", "text": "b", "checks": [{}]}]},
            "rubric.criteria[0].checks[0]",
            "has 0 kinds of check",
        ),
    ],
)
def test_what_is_wrong_is_told_by_its_key(rubric: Any, where: str, words: str) -> None:
    (line,) = faults(written(rubric))
    assert f": policies.default.{where}: " in line
    assert words.replace("no key", "is not a key here") in line
