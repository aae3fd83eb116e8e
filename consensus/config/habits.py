"""The shape of the habits of judges that wait, in the policy file."""

from pydantic import Field

from consensus.config.section import Section, Unit


class LimitSection(Section):
    """At most so many calls at a time; more wait, and not for long."""

    concurrency: int = Field(ge=1, le=10_000, description="Most calls at a time.")
    max_wait_share: Unit = Field(
        0.1, description="Longest wait for a place, as a share of the call's time-out."
    )


class RetrySection(Section):
    """One more attempt after a passing failure, with full jitter, where the budget allows."""

    base_seconds: float = Field(
        0.2, gt=0, le=60, description="The wait is random, from 0 to twice this."
    )
    cap_seconds: float = Field(2.0, gt=0, le=60, description="Longest such wait.")
    budget_share: float = Field(
        0.2, gt=0, le=1, description="Most retries as a share of the calls, beside the first three."
    )


class HedgeSection(Section):
    """A second call to the same backend where the first is late; none before ten answers."""

    quantile: float = Field(
        0.95, gt=0.5, lt=1, description="Late means later than this share of the earlier calls."
    )
    max_share: float = Field(
        0.05, gt=0, le=0.5, description="Most hedges as a share of the calls, beside the first one."
    )


class BreakerSection(Section):
    """No calls for a while to a judge that keeps failing."""

    window_seconds: float = Field(30.0, gt=0, le=3_600, description="How far back it looks.")
    failure_share: float = Field(0.5, gt=0, le=1, description="Opens from this share of failures.")
    min_calls: int = Field(10, ge=1, le=10_000, description="Fewer calls never open it.")
    open_seconds: float = Field(10.0, gt=0, le=3_600, description="Until the first probe.")
    max_open_seconds: float = Field(
        120.0, gt=0, le=3_600, description="The wait doubles up to this."
    )


class CacheSection(Section):
    """The same answer to the same submission for a while."""

    ttl_seconds: float = Field(gt=0, le=86_400, description="How long an answer is good for.")
    max_bytes: int = Field(16 << 20, ge=1_024, le=1 << 30, description="Most memory.")


class HabitKeys(Section):
    """Habits of judges that wait: all kinds but the embedded ones."""

    limit: LimitSection | None = Field(None, description="Bound the calls. Absent: unbounded.")
    retry: RetrySection | None = Field(None, description="Retry once. Absent: never.")
    hedge: HedgeSection | None = Field(None, description="Hedge late calls. Absent: never.")
    breaker: BreakerSection | None = Field(None, description="Stop asking. Absent: never.")
    cache: CacheSection | None = Field(None, description="Remember answers. Absent: never.")
