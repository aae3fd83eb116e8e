"""Tries the files of TLS as start-up would, so that a fault has its key and line."""

import ssl
from collections.abc import Iterator

from consensus.domain.judges import JudgeSpec


def tls_faults(judge: JudgeSpec) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) for files that cannot be used. All of them must be there."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ca_file, cert_file, key_file = judge.tls_ca_file, judge.tls_cert_file, judge.tls_key_file
    try:
        if ca_file:
            context.load_verify_locations(ca_file)
    except OSError:
        yield "tls.ca_file", f"is {ca_file!r}; must be readable and hold PEM certificates"
    try:
        if cert_file and key_file:  # without a password OpenSSL would ask at the terminal
            context.load_cert_chain(cert_file, key_file, password="")
    except OSError:
        words = "must be readable, a PEM certificate with its key, unencrypted, in key_file"
        yield "tls.cert_file", f"is {cert_file!r}; {words}"
