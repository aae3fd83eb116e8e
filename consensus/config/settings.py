"""The settings of the process: everything that is not a rule about judging.

Each is a flag of `consensus serve` and an environment variable `CONSENSUS_SERVE_<NAME>`.
"""

import ipaddress
from pathlib import Path

from msgspec import Struct


class Settings(Struct, frozen=True, kw_only=True):
    """How one server process listens, limits and stops."""

    listen: str = "127.0.0.1:50051"
    """Where gRPC is served, `host:port`; port 0 takes a free one."""
    expose: bool = False
    """Allow `listen` and `metrics` on other addresses than loopback. There is no authentication."""
    metrics: str = "127.0.0.1:9090"
    """Where Prometheus scrapes, `host:port`; empty serves no metrics."""
    policy_file: Path | None = None
    """The policy file; None means the bundled policy of embedded judges."""
    reload_seconds: float = 1.0
    """How often the policy file is looked at; 0 reloads on SIGHUP only."""
    max_inflight: int = 256
    """Most judgments under way; more are refused with UNAVAILABLE. Health is exempt."""
    default_deadline_seconds: float = 30.0
    """Deadline of calls that set none."""
    max_deadline_seconds: float = 120.0
    """Longest deadline that is honoured."""
    max_message_bytes: int = 8 << 20
    """Largest request and response."""
    reflection: bool | None = None
    """Serve gRPC reflection; None means on loopback only."""
    drain_delay_seconds: float = 5.0
    """After SIGTERM, how long to keep serving while load balancers notice."""
    drain_grace_seconds: float = 120.0
    """After that, how long calls under way may take."""
    log_level: str = "info"
    """`debug`, `info`, `warning` or `error`."""
    audit: bool = False
    """Log each call of a judge and what each panel came to, at any log level."""


def loopback(address: str) -> bool:
    """Tell whether `address`, as `host:port` or `unix:path`, is reachable from this host alone."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
