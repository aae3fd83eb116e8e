"""Addresses: nothing but the public ones, however they are written."""

import pytest

from consensus.sandbox.addresses import allowed, networks


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 - that it is refused is the point
        "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
        "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo", "fec0::1",
        "ff02::1", "2606:4700::1111%eth0", "example.org", "", "127.1", "0x7f000001", "2130706433",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not allowed(address, ())


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111"])
def test_a_public_address_may_be_asked(address: str) -> None:
    assert allowed(address, ())


def test_a_network_may_be_allowed_besides() -> None:
    besides = networks(["10.1.0.0/16", "::1/128"])
    assert allowed("10.1.2.3", besides)
    assert allowed("::1", besides)
    assert not allowed("10.2.0.1", besides)
    assert not allowed("127.0.0.1", besides)
