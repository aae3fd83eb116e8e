"""What of attributes is told: JSON opened, media as markers, repeats once, LangWatch's ids not."""

import json

import pytest
from hypothesis import given

from consensus.traces import digest, expand_trace
from consensus.traces.cleaning import MAX_PARTS, clean
from tests.traces.building import VALUES, law, span, tree

LONG = "This is a long text that reaches the threshold for telling it only once."
PIXELS = "iVBORw0KGgo=" * 8
SOUND = "UklGRiQA" * 20


def told(**attributes: object) -> list[str]:
    """Return the attribute lines of a digest with one span."""
    lines = digest(tree(span("a", attributes=attributes)), bare=True).text.split("\n")
    return [line.strip() for line in lines[1:]]


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("gpt-4", "k: gpt-4"),
        ("https://x.org/a", "k: https://x.org/a"),
        ("two words", 'k: "two words"'),
        ("", 'k: ""'),
        ("22", "k: 22"),
        (22, "k: 22"),
        (1.5, "k: 1.5"),
        (True, "k: true"),
        (None, "k: null"),
        (("a", "b"), 'k: ["a", "b"]'),
        ({"a": 1}, 'k: {"a": 1}'),
        ('{"city":"Paris"}', 'k: {"city": "Paris"}'),
        (' ["°", {"a": "{\\"b\\": 1}"}] ', 'k: ["°", {"a": {"b": 1}}]'),
        ("{not json}", 'k: "{not json}"'),
        ("[" * 12_000 + "]" * 12_000, "k: " + json.dumps("[" * 12_000 + "]" * 12_000)),
        ("[" + "9" * 5_000 + "]", 'k: "[' + "9" * 5_000 + ']"'),
        ("a\nb\t\x00\x7f", r'k: "a\nb\t\u0000\u007f"'),
        (b"\x00\x01", "k: [BINARY: 2 bytes]"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_value_is_told_in_one_line(value: object, line: str) -> None:
    assert told(k=value) == [line]


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (f"data:image/png;base64,{PIXELS}", "k: [IMAGE: image/png, ~71 bytes]"),
        (f"data:audio/wav;rate=8;base64,{SOUND}", "k: [AUDIO: audio/wav, ~120 bytes]"),
        (f"data:application/pdf;base64,{SOUND}", "k: [FILE: application/pdf, ~120 bytes]"),
        (
            f"see ![x](data:image/png;base64,{PIXELS}) here",
            'k: "see ![x]([IMAGE: image/png, ~71 bytes]) here"',
        ),
        (
            {"type": "file", "mediaType": "a/b", "data": SOUND},
            'k: {"type": "file", "mediaType": "a/b", "data": "[FILE: a/b, ~120 bytes]"}',
        ),
        (
            {"input_audio": {"data": SOUND, "format": "mp3"}},
            'k: {"input_audio": {"data": "[AUDIO: audio/mp3, ~120 bytes]", "format": "mp3"}}',
        ),
        (
            {"inline": {"mimeType": "video/mp4", "data": SOUND}},
            'k: {"inline": {"mimeType": "video/mp4", "data": "[VIDEO: video/mp4, ~120 bytes]"}}',
        ),
        (
            {"type": "image", "image": "A" * 1_004},
            'k: {"type": "image", "image": "[IMAGE: image/unknown, ~753 bytes]"}',
        ),
        ("x;base64,y", 'k: "x;base64,y"'),
        ({"mimeType": "text/plain", "data": "hello"}, None),
        ({"format": "json", "data": "A" * 90}, None),
        ({"type": "image", "image": "https://x.org/a.png"}, None),
        ({"type": "image", "image": "A" * 1_000}, None),
        ({"type": ["image"], "image": "A" * 2_000}, None),
        ({"type": "image", "mediaType": 5, "image": ["x"]}, None),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_media_are_told_by_kind_and_size(value: object, line: str | None) -> None:
    assert told(k=value) == [line or f"k: {json.dumps(value)}"]


def test_ids_of_the_test_are_left_out_and_the_prefix_is_taken_off() -> None:
    lines = told(
        **{
            "langwatch.thread.id": "t",
            "langwatch.scenario.id": "s",
            "langwatch.scenario.name": "n",
            "langwatch.input": "first",
            "input": "second",
            "thread.id": 7,
        }
    )
    assert lines == ["input: first", "thread.id: 7"]


def test_a_long_text_is_told_once_in_a_digest() -> None:
    spaced = LONG.replace(" ", "\n  ", 3)
    inside = json.dumps({"messages": [{"content": LONG}]})
    lines = told(a=LONG, b=spaced, c=inside, d=LONG.upper(), e="Short", f="Short")
    assert lines == [
        f'a: "{LONG}"',
        "b: [DUPLICATE - SEE ABOVE]",
        'c: {"messages": [{"content": "[DUPLICATE - SEE ABOVE]"}]}',
        f'd: "{LONG.upper()}"',
        "e: Short",
        "f: Short",
    ]
    assert told(a=LONG) == [f'a: "{LONG}"']


@pytest.mark.parametrize(("length", "times"), [(49, 2), (50, 1)])
def test_texts_of_50_characters_are_long(length: int, times: int) -> None:
    assert sum("x" * length in line for line in told(a="x" * length, b="x" * length)) == times


def test_a_marker_reads_otherwise_than_a_text_that_says_the_same() -> None:
    assert told(a="[DUPLICATE - SEE ABOVE]") == ['a: "[DUPLICATE - SEE ABOVE]"']


def test_repeats_are_told_whole_when_asked_for() -> None:
    trace = tree(span("aaaa", attributes={"k": LONG}), span("bbbb", attributes={"k": LONG}))
    assert expand_trace(trace, ["bbbb"]).text.count(LONG) == 1


def test_values_are_opened_32_levels_deep() -> None:
    value: object = "x"
    for _ in range(40):
        value = [value]
    assert told(k=value) == ["k: " + "[" * 32 + '"[NESTED TOO DEEP]"' + "]" * 32]


@pytest.mark.parametrize(
    ("parts", "opened"), [(MAX_PARTS, True), (MAX_PARTS + 1, False)], ids=["at most", "too many"]
)
def test_a_json_text_of_too_many_parts_is_told_as_it_is(parts: int, opened: bool) -> None:
    text = "[" + "1," * (parts - 1) + "1 ]"
    assert isinstance(clean(text + " "), list) == opened
    assert (clean(text) == text) != opened


def test_what_is_no_json_value_is_refused() -> None:
    with pytest.raises(TypeError, match="an attribute holds a set, which is no JSON value"):
        told(k=[{"a"}])


@law
@given(VALUES)
def test_cleaning_what_is_clean_changes_nothing(value: object) -> None:
    once = clean(value)
    assert repr(clean(once)) == repr(once)
