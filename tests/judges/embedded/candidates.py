"""Candidates as workers write them: good ones, and one fault each."""

LETTER = """\
Dear Ms. Alvarez,

Thank you for your order of 14 May. The two chairs left our warehouse this morning and should
reach you by Thursday. If anything is damaged, send us a photograph and we will replace it.

Kind regards,
[Your Name]
"""
PROSE = """\
The Battle of Hastings was fought on 14 October 1066. William had landed at Pevensey two weeks
before; Harold marched south from Stamford Bridge in thirteen days. I'm sorry to say that most
accounts were written by the winners, and we cannot know how many men stood on the hill. What
we can say is that the line broke late in the day, that Harold died, and that William was crowned
at Christmas. As an AI enthusiast might put it: the data is thin, the story is not.
"""
CODE = '''\
Here is the function, with a test:

```python
from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    x: float
    y: float


def distance(a: Point, b: Point) -> float:
    """Return the distance of two points."""
    # TODO(maintainers): three dimensions
    if a == b:
        return 0.0
    return ((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5


def test_distance() -> None:
    assert distance(Point(0, 0), Point(3, 4)) == 5.0
    assert distance(Point(1, 1), Point(1, 1)) == 0.0
```

Run it with `pytest -q`. To publish, set the remote first: `git remote add origin <your-repo-url>`.
'''
REPEATING_CODE = "```sh\n" + "sensor --log readings.csv --every 20s\n" * 6 + "```"
LIST = """\
To renew a passport you need:

- the old passport
- a photograph (35 x 45 mm)
- the fee of 60 euro
- proof of address, such as a bill

Then:
1. Book an appointment.
2. Bring everything.
3. Wait for about three weeks.
"""
FLIGHTS = "\n".join(
    f"{number}. **Flight {number}:** JFK to ATL\n   - Departure: 18:00 EST\n   - Cabin: economy"
    for number in range(1, 7)
)
JSON = """\
{
  "items": [
    {"status": "completed", "owner": null},
    {"status": "completed", "owner": null},
    {"status": "completed", "owner": null},
    {"status": "completed", "owner": null}
  ],
  "todo": [],
  "note": "rest of the items: none"
}
"""
TABLE = "| city | open |\n|---|---|\n" + "\n".join(f"| Town {n} | Monday |" for n in range(8))
STORY = """\
"I cannot help you," said the old man. "As an AI I am bound by older laws."

The girl laughed. She couldn't help noticing that the machine had blinked first.
"""
QUESTION = "I can't help but wonder which of the two files you mean: `a.py` or `b.py`?"
MARKDOWN = """\
# Release notes

See [Add items](docs/add.md) and [Insert rows](docs/insert.md). The existing implementation stays
as it is; the remaining text describes what is new, and the rest of the code is unchanged in this
release. Everything else... is in the changelog.
"""
SHORT = ["42", "Paris", "No.", "yes, because of the", "Option A and", "(b)", "The", "x = f(y)"]
DONE = "I've fixed the bug: `len(items)` was counted twice. All tests pass (14 passed in 0.3s)."

GOOD = {
    "letter": LETTER,
    "prose": PROSE,
    "code": CODE,
    "repeating code": REPEATING_CODE,
    "list": LIST,
    "flights": FLIGHTS,
    "json": JSON,
    "table": TABLE,
    "story": STORY,
    "question": QUESTION,
    "markdown": MARKDOWN,
    "done": DONE,
    **{f"short {number}": text for number, text in enumerate(SHORT)},
}

FAULTY = {
    "refusal": [
        "I'm sorry, but I can't help with that request.",
        "I\N{RIGHT SINGLE QUOTATION MARK}m really sorry, but I cannot assist you with this.",
        "I cannot provide instructions for that.",
        "I am unable to create content of this kind.",
        "As an AI language model, I cannot browse the internet. " + "Still, here is a word. " * 40,
        "I must respectfully decline.",
        "Unfortunately I won't do that. Please ask something else.",
    ],
    "placeholders": [
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        "Join us on [insert date] at the usual place.",
        "Dear <insert name>, thank you for your order.",
        "def run():\n    # your code here\n    pass",
        "class A:\n    pass\n\n# ... rest of the code",
        "function f() {\n  // ... existing code ...\n}",
        "TODO: intro\nTODO: method\nTODO: results",
        "[Your Name]\n[Your Street]\n[Your Town]",
    ],
    "truncation": [
        "```python\nprint('never closed')\n",
        "The museum is open on all weekdays and on Saturday because of the",
        "The three reasons are price, distance, and the quality of the rooms,",
        "The most important steps are:",
        "return json.dumps({",
        "First, the committee met with the",
    ],
    "repetition": [
        "I am glad to help. " * 4,
        "The first point.\n" + "We should look at the numbers again.\n" * 5,
        "A start that is not repeated at all, ever. "
        + "The tower opens at nine in the morning on every day. Then it closes again. " * 5,
    ],
    "unsupported_claim": [
        "I have successfully completed the task.",
        "All tests passed.",
        "The task is now done. Let me know if you need anything else!",
    ],
}
"""Candidates by the detector that must see a fault in them."""
