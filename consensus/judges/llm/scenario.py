"""What a judge is told of a test: how far it has come, what is still open, and when it ends.

The situation itself is the caller's text and is fenced; the rules here are ours.
"""

from collections.abc import Iterator

from consensus.domain.submission import Submission

SITUATION = "The conversation is a test. The situation that its simulated user plays:"
_HEAD = (
    "The assistant that the simulated user talks with is what you judge: the work is the"
    " conversation as a whole, and the candidate, where there is one, its latest message."
)
_TURN = "This is turn {turn} of at most {most}."
_RULES = (
    "For a test these rules hold beside the others, and before them:\n"
    "- Judge the listed criteria and nothing else. The score of the whole is the share of them that"
    " is MET.\n"
    "- Be strict on what should not happen: such a criterion is UNMET once it has happened, however"
    " slightly and whatever came after, and MET while it has not."
)
_OPEN = (
    "- The conversation may not be over. A criterion that it has not come to yet is INCONCLUSIVE,"
    " not UNMET: missing evidence alone is not evidence against it. With a criterion INCONCLUSIVE"
    " the conversation goes on, which is better than a verdict too early."
)
_LAST = (
    "- The test ends with this judgment: the conversation does not go on. Give every criterion its"
    " final status. What should have happened and has not is UNMET; INCONCLUSIVE is only what the"
    " conversation leaves open."
)


def rules_of_test(submission: Submission) -> str:
    """Return what holds for judging a test, beside the rules that always hold; empty where the
    conversation is no test.
    """
    return "\n".join(_lines(submission))


def _lines(submission: Submission) -> Iterator[str]:
    facts, turn = submission.scenario, submission.turn
    if facts is None:
        return
    yield _HEAD
    if turn is not None:
        yield _TURN.format(turn=turn.iteration + 1, most=turn.max_iterations)
    yield _RULES
    yield _LAST if facts.verdict_required else _OPEN
