"""Detectors weigh what they see, and read no further than they must."""

import pytest

from consensus.judges.embedded.detectors import (
    NONE,
    OPENING,
    SHORT,
    placeholders,
    refusal,
    repetition,
    truncation,
    unsupported_claim,
)


def test_a_refusal_weighs_less_where_more_follows() -> None:
    opening = "I cannot provide legal advice. "
    assert refusal(opening) == (0.1, '"i cannot provide"')
    assert refusal(opening + "x" * SHORT)[0] == 0.4


def test_a_refusal_that_does_not_open_is_a_remark() -> None:
    assert refusal("x" * OPENING + " I cannot provide more.") == NONE


def test_open_points_weigh_less_than_what_is_unfinished() -> None:
    assert placeholders("TODO later") == (pytest.approx(0.85), "1 seen, such as 'TODO'")
    assert placeholders("TODO, FIXME, TBD")[0] == pytest.approx(0.55)
    assert placeholders("on [insert date]") == (0.5, "1 seen, such as '[insert date]'")
    assert placeholders("[insert a] [insert b] TBD")[0] == 0.1


@pytest.mark.parametrize(
    "text",
    [
        "my todo list",
        "[add](a.md) and [Insert x](b.md)",
        "[add(1, 2) for x in y]",
        "the rest of the code... is here",
        "# your notes here",
        "a < insert > b",
    ],
)
def test_what_only_looks_like_a_placeholder_is_none(text: str) -> None:
    assert placeholders(text) == NONE


def ending(text: str) -> float:
    return truncation(text, text)[0]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("```\na\n```", 1.0),
        ("```\na\n```\nand ```inline```\n```b```", 1.0),
        ("  ```\n  a\n  ```\nthen\n```", 0.3),
        ("Kind regards,", 1.0),
        ("It ends after forty characters with a comma,", 0.4),
        ("f(", 0.4),
        ("It ends after forty characters, for whom of", 0.4),
        ("the", 1.0),
    ],
)
def test_an_end_that_breaks_off_is_seen(text: str, score: float) -> None:
    assert ending(text) == score


def test_fences_are_not_counted_in_a_part_of_a_text() -> None:
    assert truncation("```\na", "```\na\n```") == NONE


def test_repetition_counts_rows_and_shares_of_long_lines() -> None:
    line = "The numbers are rising on every day of the week"
    assert repetition("\n".join([line] * 4)) == (0.2, f"4 times in a row {line!r}")
    mixed = "\n".join(f"{line}\nAnother line number {n}" for n in range(5))
    assert repetition(mixed) == (pytest.approx(0.1), f"5 times {line!r}")
    varied = "\n".join(f"{line}\nAnother long line with a number of its own, {n}" for n in range(5))
    assert repetition(varied) == (pytest.approx(0.4), f"5 times {line!r}")
    rare = "\n".join([line] * 3 + [f"A long line with a number of its own: {n}" for n in range(9)])
    assert repetition(rare) == NONE


@pytest.mark.parametrize("text", ["a. " * 50, "Yes, it is so. " * 3, "- Departure: 18:00\nx\n" * 5])
def test_short_lines_and_few_ones_are_no_repetition(text: str) -> None:
    assert repetition(text) == NONE


def test_a_claim_needs_something_to_show() -> None:
    assert unsupported_claim("I have finished.") == (
        0.3,
        'claims without anything to show: "i have finished"',
    )
    assert unsupported_claim("I have finished:\n- the report") == NONE
    assert unsupported_claim("I have finished. " + "Here is what was written. " * 20) == NONE
    assert unsupported_claim("The sky is blue.") == NONE
