"""How long a submission is, told quickly: whoever puts a long one into words does not hold up
others meanwhile.
"""

from collections.abc import Mapping

from consensus.domain.submission import Submission

LONG_CHARS = 1 << 16
"""A submission above it is long: putting it into words takes a few ms and more."""
PART_CHARS = 32
"""What a message, or a value of the context or the outputs, takes beside its text."""
_OBJECTS = (dict, Mapping)  # in this order: the second takes ten times as long to tell


def is_long(submission: Submission) -> bool:
    """Tell whether a submission is long, whatever its trace. Looks no further than it takes."""
    messages, rubric = submission.messages, submission.rubric
    size = len(submission.task) + len(submission.candidate)
    size += PART_CHARS * (len(messages) + len(rubric))
    if size <= LONG_CHARS:
        size += sum([len(message.content) for message in messages])
        size += sum([len(criterion.text) for criterion in rubric])
    parts: list[object] = [submission.context, submission.outputs]
    while parts and size <= LONG_CHARS:
        part = parts.pop()
        size += PART_CHARS
        if isinstance(part, str):
            size += len(part)
        elif isinstance(part, _OBJECTS):
            parts.extend(part)
            parts.extend(part.values())
        elif isinstance(part, (list, tuple)):
            parts.extend(part)
    return size > LONG_CHARS
