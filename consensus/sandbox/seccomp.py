"""A filter of system calls, as the kernel reads it (classic BPF): code that is run on trial starts
no process and reaches for nothing that the other limits do not count.

bubblewrap takes namespaces and files away. What is left to abuse is what escapes RLIMIT_AS and the
size of the work directory: processes by the thousand, shared memory of System V, kernel objects.
"""

import platform
import struct

_ALLOW = 0x7FFF0000
_EPERM = 0x00050001
_ENOSYS = 0x00050026
_KILL = 0x80000000
_CLONE_THREAD = 0x00010000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_OTHER_ABI = 0x40000000
"""From here on x86_64 reads numbers as those of another table."""

_MACHINES = {
    "x86_64": (0xC000003E, {"clone": 56, "clone3": 435, "fork": 57, "vfork": 58}),
    "aarch64": (0xC00000B7, {"clone": 220, "clone3": 435}),
}
_DENIED = {
    "x86_64": {
        "shmget": 29, "semget": 64, "msgget": 68, "ptrace": 101, "mount": 165, "umount2": 166,
        "pivot_root": 155, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
        "setns": 308, "perf_event_open": 298, "process_vm_readv": 310, "process_vm_writev": 311,
        "memfd_create": 319, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425,
        "inotify_init": 253, "inotify_init1": 294, "memfd_secret": 447,
    },
    "aarch64": {
        "shmget": 194, "semget": 190, "msgget": 186, "ptrace": 117, "mount": 40, "umount2": 39,
        "pivot_root": 41, "add_key": 217, "request_key": 218, "keyctl": 219, "unshare": 97,
        "setns": 268, "perf_event_open": 241, "process_vm_readv": 270, "process_vm_writev": 271,
        "memfd_create": 279, "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425,
        "inotify_init1": 26, "memfd_secret": 447,
    },
}  # fmt: skip


def program(machine: str = "") -> bytes:
    """Return the filter for a machine, this one by default. Raises KeyError for unknown ones."""
    machine = machine or platform.machine()
    architecture, calls = _MACHINES[machine]
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _OTHER_ABI, 0, 1),
        _step(_RETURN, _EPERM),
        # What clone3 is asked for stands in memory, which no filter reads: libc falls back.
        _step(_EQUAL, calls["clone3"], 0, 1),
        _step(_RETURN, _ENOSYS),
    ]
    for name in ("fork", "vfork"):
        if name in calls:
            steps += [_step(_EQUAL, calls[name], 0, 1), _step(_RETURN, _EPERM)]
    for number in _DENIED[machine].values():
        steps += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _EPERM)]
    steps += [
        _step(_EQUAL, calls["clone"], 0, 3),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_ANY_BIT, _CLONE_THREAD, 1, 0),
        _step(_RETURN, _EPERM),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """Return one instruction; `then` and `otherwise` are steps to leave out."""
    return struct.pack("<HBBI", code, then, otherwise, value)
