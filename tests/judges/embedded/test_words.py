"""English words, near enough: stems, stop words, passages and what is quoted of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.judges.embedded import words
from consensus.judges.embedded.words import (
    MAX_PLACES,
    MAX_QUOTE,
    Passages,
    stem,
    wording,
)
from tests.judges.embedded.judging import CANDIDATES


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ratings", "rating"),
        ("opens", "opening"),
        ("cities", "city"),
        ("closed", "close"),
        ("boxes", "box"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["is", "bus", "red", "été", ""])
def test_short_words_stay_whole(word: str) -> None:
    assert stem(word) == word


def test_a_wording_holds_content_words_by_their_stems() -> None:
    found = wording("The tower\N{RIGHT SINGLE QUOTATION MARK}s 'opening' hours, in 24-hour form")
    assert found.words == {
        "tower": "tower's",
        "open": "'opening'",
        "hour": "hour",
        "24": "24",
        "form": "form",
    }
    assert not found.negative


@pytest.mark.parametrize(
    "text", ["Does not shout", "Never guesses", "Without jargon", "Doesn't guess", "Avoids slang"]
)
def test_negative_wording_is_seen(text: str) -> None:
    assert wording(text).negative


def quote(text: str, wanted: str) -> str:
    stems = wording(wanted).words
    return Passages(text, stems).quote(stems)


@pytest.mark.parametrize(
    ("text", "wanted", "quoted"),
    [
        ("One. Two three! Four?", "three", "Two three"),
        ("It costs 12.50 euro. No more.", "costs euro", "It costs 12.50 euro"),
        ("See e.g. towers", "towers", "towers"),
        ("- first line\n- second line", "second", "- second line"),
        ("tower here. tower opens here", "tower opens", "tower opens here"),
        ("tower a. tower b", "tower", "tower a"),
        ("nothing", "tower", ""),
        ("", "tower", ""),
    ],
)
def test_the_passage_with_the_most_shared_words_is_quoted(
    text: str, wanted: str, quoted: str
) -> None:
    assert quote(text, wanted) == quoted


def test_a_long_passage_is_quoted_from_its_first_shared_word() -> None:
    text = "x " * 500 + "Tower opens " + "y " * 500
    assert quote(text, "towers").startswith("Tower opens y")
    assert len(quote(text, "towers")) <= MAX_QUOTE


def test_a_shared_word_far_into_a_long_passage_is_not_looked_for() -> None:
    assert quote("x " * 5_000 + "tower", "tower").startswith("x x")


@given(CANDIDATES, CANDIDATES)
def test_a_quotation_is_a_part_of_the_text(text: str, wanted: str) -> None:
    assert quote(text, wanted) in text


def test_a_word_is_followed_to_a_bounded_number_of_passages() -> None:
    passages = Passages("tower. " * 10_000, ["tower"])
    assert len(passages._places["tower"]) == MAX_PLACES


def test_shares_count_the_stems_that_occur() -> None:
    passages = Passages("The tower opens.", ["tower", "open", "museum"])
    assert passages.share(["tower", "museum"]) == 0.5
    assert "tower" in passages
    assert "museum" not in passages


def test_known_stems_and_characters_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_KNOWN_STEMS", 3)
    stems = words._Stems()
    assert [stems[word] for word in ("towers", "dogs", "cats", "boxes")] == [
        "tower",
        "dog",
        "cat",
        "box",
    ]
    assert list(stems) == ["boxes"]
    monkeypatch.setattr(words, "_KNOWN_CHARACTERS", 1)
    letters = words._Letters()
    assert "a-b".translate(letters) == "a b"
    assert len(letters) == 1


@given(st.text(max_size=50))
def test_any_text_has_a_wording(text: str) -> None:
    assert set(wording(text).words.values()).isdisjoint({"the", "a"})
