"""Tells one content of a policy from another."""

import hashlib
import json
from collections.abc import Mapping

from consensus.config.model import JudgeSection, PolicySection


def revision(section: PolicySection, judges: Mapping[str, JudgeSection]) -> str:
    """Return the digest of a policy's canonical content, its judges and every default included.

    Comments, the order of keys and judges that no seat names leave it alone.
    """
    seats = [seat.judge for stage in section.stages if stage.panel for seat in stage.panel.seats]
    content = {
        "policy": section.model_dump(mode="json"),
        "judges": {name: judges[name].model_dump(mode="json") for name in seats if name in judges},
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()[:16]
