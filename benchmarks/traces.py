"""How long the digest of a trace takes: `python -m benchmarks.traces`.

10,000 spans in 300 ms at most, and twice as many in about twice the time.
"""

import statistics
import sys
import time
from collections.abc import Callable

from consensus.domain.trace import Span, TraceLimits
from consensus.traces import Trace, digest, grep_trace

LIMITS = TraceLimits(spans=20_000)
BAR_MS = 300.0
ROUNDS = 7
PROMPT = "Find a flight from Paris to Rome that leaves before noon, and say what it costs."


def spans(number: int) -> list[Span]:
    """Make a trace as an agent leaves it: steps of four calls, each with its texts."""
    return [
        Span(
            trace_id="5b8efff798038103d269b633813fc60c",
            span_id=f"{index + 1:08x}00000000",
            parent_id="" if index % 5 == 0 else f"{index - index % 5 + 1:08x}00000000",
            name="agent.step" if index % 5 == 0 else "llm.call",
            start_ns=1_700_000_000_000_000_000 + index * 1_000_000,
            end_ns=1_700_000_000_000_000_000 + index * 1_000_000 + 900_000,
            attributes={
                "gen_ai.request.model": "a-model",
                "gen_ai.prompt": f'[{{"role": "user", "content": "{PROMPT} {index}"}}]',
                "gen_ai.usage.input_tokens": 1_200,
                "gen_ai.usage.output_tokens": 300,
            },
            failed=index % 100 == 99,
            message="Connection refused" if index % 100 == 99 else "",
        )
        for index in range(number)
    ]


def median_ms(work: Callable[[], object]) -> float:
    """Return the median of the processor time that `work` takes, in milliseconds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append((time.process_time() - start) * 1_000)
    return statistics.median(taken)


def main() -> int:
    """Print the table; return 1 where a bar is missed."""
    rows = {}
    for number in (10_000, 20_000):
        made = spans(number)
        trace = Trace.of(made, LIMITS)
        rows[number] = median_ms(lambda made=made: digest(Trace.of(made, LIMITS)))
        searched = median_ms(lambda trace=trace: grep_trace(trace, "noon"))
        print(f"{number:>7} spans: digest {rows[number]:6.0f} ms, search {searched:6.0f} ms")
    ratio = rows[20_000] / rows[10_000]
    missed = rows[10_000] > BAR_MS or ratio > 3
    print(f"twice the spans take {ratio:.2f} times as long; the bar is {BAR_MS:.0f} ms, linear")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
