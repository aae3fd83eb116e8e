"""Prompt templates as data: their fields, and what makes one sound.

A template is text with `$name` fields (`$$` is a dollar sign). The line `=== user ===` parts it:
what stands above is sent as the system message and must stay the same from call to call.
"""

from collections.abc import Iterator
from string import Template

PARTING = "=== user ==="
"""The line between the system part and the user part."""
REPLY_FIELD = "reply"
"""How to answer; the one field of the system part, needed where the reply is JSON."""
NEEDED_FIELDS = ("nonce", "rubric", "task", "messages", "candidate", "ask")
"""Fields that the user part must have."""
MORE_FIELDS = ("context", "trace")
"""Fields that it may have as well."""
MAX_TEMPLATE = 100_000


def parted(template: str) -> tuple[str, str]:
    """Return the system part and the user part; the user part is empty where no line parts them."""
    lines = template.split("\n")
    if PARTING not in lines:
        return template, ""
    at = lines.index(PARTING)
    return "\n".join(lines[:at]).strip(), "\n".join(lines[at + 1 :]).strip()


def template_faults(template: str, *, json: bool) -> Iterator[str]:
    """Yield what makes a template unsound. `json`: whether the reply shall be JSON."""
    if len(template) > MAX_TEMPLATE:
        yield f"has {len(template)} characters; at most {MAX_TEMPLATE}"
        return
    if "\0" in template:
        yield "holds a null character"
        return
    if template.split("\n").count(PARTING) != 1:
        yield f"must have the line {PARTING!r} once, between what is stable and what is judged"
        return
    system, user = map(Template, parted(template))
    if not (system.is_valid() and user.is_valid()):
        yield "has a $ that begins no field; a dollar sign is written $$"
        return
    above, below = set(system.get_identifiers()), set(user.get_identifiers())
    for field in NEEDED_FIELDS:
        if field not in below:
            yield f"lacks ${field} in its user part"
    if json and REPLY_FIELD not in above:
        yield f"lacks ${REPLY_FIELD} in its system part, which says how to answer in JSON"
    for field in sorted(above - {REPLY_FIELD}):
        yield f"has ${field} in its system part; ${REPLY_FIELD} is the only field there"
    for field in sorted(below - {*NEEDED_FIELDS, *MORE_FIELDS}):
        names = ", ".join(f"${name}" for name in (*NEEDED_FIELDS, *MORE_FIELDS))
        yield f"has ${field} in its user part; the fields there are {names}"
