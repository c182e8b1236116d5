"""Runs the command as a process: from its first moment to its last an interrupt ends it, with nothing left over."""

import _thread
import atexit
import os
import signal
import sys
from contextlib import suppress
from time import sleep
from types import FrameType

EXIT_INTERRUPTED = 130
GRACE_S = 0.2
"""So long an interrupted command may take to clear away by itself; a library in the middle of a long step does not."""

CLEAR = b"\r\x1b[2K\x1b[?25h"
"""The bar is gone, and the cursor is back."""


def start() -> None:
    """Run the command, and leave with its exit status."""
    # Who started us may have turned interrupts off, as `nohup` does.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        from lastro.cli import main

        sys.exit(main())
    signal.signal(signal.SIGINT, _leave)
    from lastro.cli import main

    _end_late_interrupts()
    sys.unraisablehook = _unraisable
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = main()
    except KeyboardInterrupt:  # a second one, while the first was seen to
        status = EXIT_INTERRUPTED
    signal.signal(signal.SIGINT, _leave)
    if status == EXIT_INTERRUPTED:
        # Python would wait for the threads that read parts; what they might leave behind is cleared away.
        _leave()
    _end(status)


def _end(status: int) -> None:
    """
    End with *status*, and let the system take large libraries back whole: to take them apart lasts a tenth of a second.

    What is registered for the end of a process runs, and all is written.
    """
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except OSError:
        sys.exit(status)  # Python tries once more, and says what is wrong
    os._exit(status)


def _leave(number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """End at once, which is right where nothing has begun, or everything has ended."""
    os._exit(EXIT_INTERRUPTED)


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    """Say nothing of an interrupt that came where Python cannot raise it; it ends the process all the same."""
    if not isinstance(what.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(what)


def _end_late_interrupts() -> None:
    """
    End the process soon after an interrupt, also where Python cannot raise one because a library is busy.

    The system tells a pipe of every signal at once, and a thread waits for that.
    """
    told, teller = os.pipe()
    os.set_blocking(teller, False)
    signal.set_wakeup_fd(teller, warn_on_full_buffer=False)
    # Not a `Thread`: that module takes a while to load, and this one is to be gone with the process anyway.
    _thread.start_new_thread(_end_late, (told,))


def _end_late(told: int) -> None:
    while signal.SIGINT not in os.read(told, 1):
        pass
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else a command sees to it itself
        sleep(GRACE_S)
        from datasources.temporary import remove_all

        remove_all()
        with suppress(OSError):  # nobody may be there to be told
            os.write(2, (CLEAR if os.isatty(2) else b"") + b"lastro: interrupted.\n")
        _leave()


if __name__ == "__main__":
    start()
