"""Which addresses a URL of a stranger's may lead to: public ones, and those that a policy names."""

import ipaddress
from collections.abc import Sequence

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_PUBLIC_V6 = ipaddress.ip_network("2000::/3")
"""All unicast addresses that have been handed out; anything else is local, mapped or reserved."""
_REFUSED: tuple[Network, ...] = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by carriers
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, and the clouds' metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
        "2001::/23",  # Teredo and others that embed addresses
        "2001:db8::/32",
        "2002::/16",  # 6to4 embeds any IPv4 address
        "3fff::/20",
    )
)


def networks(written: Sequence[str]) -> tuple[Network, ...]:
    """Return networks out of CIDR. Raises ValueError."""
    return tuple(ipaddress.ip_network(network) for network in written)


def allowed(written: str, besides: Sequence[Network]) -> bool:
    """Tell whether an address, as written, is public or in one of these networks."""
    try:
        address = ipaddress.ip_address(written)
    except ValueError:
        return False
    if any(address in network for network in besides):
        return True
    if isinstance(address, ipaddress.IPv6Address) and (
        address not in _PUBLIC_V6 or address.scope_id is not None
    ):
        return False
    return not any(address in network for network in _REFUSED)
