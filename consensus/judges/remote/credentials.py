"""Judges behind gRPC: the files of TLS, read as one and read again when they change."""

import ssl
from pathlib import Path

import grpc
from msgspec import Struct

from consensus.domain.judges import JudgeSpec

Stamp = tuple[tuple[int, int, int], ...]
"""Inode, time of change and size of each file; zeros where it cannot be seen."""


class Credentials(Struct, frozen=True):
    """What TLS needs of us: whom to trust, and who we are."""

    roots: bytes | None
    """None means gRPC's own list."""
    certificate: bytes | None = None
    """Ours, for mutual TLS."""
    key: bytes | None = None

    def for_channel(self) -> grpc.ChannelCredentials:
        """Return them as gRPC takes them."""
        return grpc.ssl_channel_credentials(self.roots, self.key, self.certificate)


class CredentialFiles:
    """The files that the credentials of one backend are read from."""

    def __init__(self, spec: JudgeSpec) -> None:
        self._roots = spec.tls_ca_file or _system_roots()
        self._pair = (spec.tls_cert_file, spec.tls_key_file) if spec.tls_cert_file else None

    def stamp(self) -> Stamp:
        """Return what changes whenever a file does, comes or goes, without reading any."""
        return tuple(_stamp(name) for name in (self._roots, *(self._pair or ())) if name)

    def read(self) -> Credentials:
        """Read all files. Raises OSError where one is missing, is no PEM, or key and certificate
        do not belong together.
        """
        # gRPC finds faults of a file only when it connects, and does not say which.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self._roots:
            context.load_verify_locations(self._roots)
        if not self._pair:
            return Credentials(_content(self._roots))
        certificate, key = self._pair
        # Without a password OpenSSL would ask at the terminal; gRPC can use no encrypted key.
        context.load_cert_chain(certificate, key, password="")
        return Credentials(_content(self._roots), _content(certificate), _content(key))


def _stamp(name: str) -> tuple[int, int, int]:
    try:
        stat = Path(name).stat()
    except OSError:
        return 0, 0, 0
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _content(name: str) -> bytes | None:
    return Path(name).read_bytes() if name else None


def _system_roots() -> str:
    """Return the file of the system's certificates; gRPC's own list knows no private authority."""
    file = ssl.get_default_verify_paths().cafile
    return file if file and Path(file).is_file() else ""
