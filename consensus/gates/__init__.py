"""THE THRESHOLDS: a consensus in, PASS, FAIL, UNSURE or NO_QUORUM out, with each condition."""

from consensus.gates.gate import checks_gate, pass_bar, weigh
from consensus.gates.settlement import settled_answer

__all__ = ["checks_gate", "pass_bar", "settled_answer", "weigh"]
