"""What makes a prompt template sound."""

import pytest

from consensus.domain.templates import MAX_TEMPLATE, parted, template_faults

FIELDS = "$nonce $rubric $task $messages $candidate ${context} $ask"
SOUND = f"Judge. $reply\n=== user ===\n{FIELDS}"


def test_a_template_with_all_fields_is_sound_and_has_two_parts() -> None:
    assert list(template_faults(SOUND, json=True)) == []
    assert parted(SOUND) == ("Judge. $reply", FIELDS)


def test_prose_needs_no_word_on_json() -> None:
    assert list(template_faults(SOUND.replace("$reply", ""), json=False)) == []
    assert list(template_faults(SOUND.replace("$reply", ""), json=True))


@pytest.mark.parametrize(
    ("template", "word"),
    [
        (SOUND.replace("$nonce", ""), "lacks $nonce"),
        (SOUND.replace("$ask", ""), "lacks $ask"),
        (SOUND + " $model", "has $model"),
        (SOUND.replace("$reply", "$reply $candidate"), "has $candidate in its system part"),
        (SOUND + " 5 $", "begins no field"),
        (SOUND.replace("=== user ===", ""), "must have the line"),
        (SOUND + "\n=== user ===\n", "must have the line"),
        (SOUND + "\0", "null"),
        (SOUND + " " * MAX_TEMPLATE, "at most"),
    ],
)
def test_an_unsound_template_is_told_why(template: str, word: str) -> None:
    assert [fault for fault in template_faults(template, json=True) if word in fault]


def test_without_the_line_all_of_it_is_the_system_part() -> None:
    assert parted("Judge.\n$reply") == ("Judge.\n$reply", "")
