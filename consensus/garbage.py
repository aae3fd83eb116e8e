"""THE SWEEP: when the process looks for garbage, so that judgments seldom wait for it.

Python frees nearly all by itself; what has to be looked for are cycles, one for each call of
grpc.aio.
"""

import gc

YOUNG = 20_000
"""New objects, less those let go, after which the new ones are looked at, for some 20 ms. Python's
own 700 took a third of the processor with 10,000 calls under way, all of them alive."""
OLD = 1_000
"""Such looks after which the older objects are looked at too. With 2,000 judgments under way that
takes a second in which nobody is answered; Python's own 10 made it happen every few seconds.
"""


def spare_what_is_there() -> None:
    """Look seldom from now on, and never at what start-up made: it stays."""
    gc.set_threshold(YOUNG, OLD)
    gc.freeze()


def sweep() -> None:
    """Look at everything, if anything has grown old since the last time. For idle moments."""
    if gc.get_count()[1]:
        gc.collect()
