"""Run cases, each in a process of its own under limits of time and memory, and say how it ended."""

import faulthandler
import json
import os
import select
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

SECONDS = 120  # after which a case hangs
MOST_MEMORY = 3 * 2**29  # bytes that a case may ask for, whatever a file announces


@dataclass(frozen=True)
class Fall:
    """A case that did not stand, and why."""

    part: str
    seed: int
    reason: str
    details: str = ""

    @property
    def command(self):
        """What shows it again."""
        return f"python3 dev.py attack --only {self.part} --seed {self.seed} --cases 1"


def run_case(name, attack, seed, seconds=SECONDS):
    """Run one case; return None, or how it fell."""
    folder = Path(tempfile.mkdtemp(prefix="handful-attack-"))
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _child(attack, seed, folder, writing)
    os.close(writing)
    try:
        answer = _answer(reading, time.monotonic() + seconds)
        if answer is None:
            os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        os.close(reading)
        shutil.rmtree(folder, ignore_errors=True)
    if answer is None:
        return Fall(name, seed, f"it did not end in {seconds} seconds")
    if status != 0:
        return Fall(name, seed, f"the process died ({_called(status)})")
    reason, details = json.loads(answer)
    return None if reason is None else Fall(name, seed, reason, details)


def _child(attack, seed, folder, writing):
    """Run the case and tell the parent; never returns."""
    faulthandler.disable()  # the parent tells of crashes
    code = 1
    try:
        warnings.simplefilter("ignore")
        reason, details, before = None, "", _memory("VmSize")
        try:
            attack(seed, folder)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fall
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            details = "".join(traceback.format_exception(error))
        asked = _memory("VmPeak") - before
        if reason is None and asked > MOST_MEMORY:
            reason = f"it asked for {asked / 2**30:.1f} GiB of memory"
        with open(writing, "w", encoding="utf-8") as pipe:
            json.dump([reason, details], pipe)
        code = 0
    finally:
        os._exit(code)


def _answer(reading, deadline):
    """Everything the child says; None when it takes too long."""
    parts = []
    while (left := deadline - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            part = os.read(reading, 65536)
            if not part:
                return b"".join(parts)
            parts.append(part)
    return None


def _memory(field):
    """A figure of this process in bytes; 0 where the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field)), 0)


def _called(status):
    return signal.Signals(-status).name if status < 0 else f"exit code {status}"
