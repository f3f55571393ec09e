"""What counts as a fall, and what as standing."""

import contextlib
import io

from handful.cli import main


class FellError(Exception):
    """Something that must not happen did; the message says what."""


def one_sentence(error):
    """An error that is a sentence for the user is no fall; one of several lines is."""
    text = str(error)
    if not text.strip() or "\n" in text or "Traceback" in text:
        raise FellError(f"{type(error).__name__} is not one sentence: {text!r}")


@contextlib.contextmanager
def only(*allowed):
    """Let errors of these kinds pass that are one sentence each; any other is a fall."""
    try:
        yield
    except FellError:
        raise
    except allowed as error:
        one_sentence(error)
    except Exception as error:
        raise FellError(f"{type(error).__name__}: {error}") from error


def shell(*words):
    """Run a command: exit code 0, or 2 and one line that begins as all do; return the code."""
    out, err = io.StringIO(), io.StringIO()
    words = [str(word) for word in words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    except Exception as error:
        raise FellError(f"handful {words[0]}: {type(error).__name__}: {error}") from error
    lines = err.getvalue().splitlines()
    if code not in (0, 2) or (code == 2 and not lines):
        raise FellError(f"handful {words[0]} ended with {code} and said {lines}")
    odd = [line for line in lines if not line.startswith("handful: ")]
    if odd:
        raise FellError(f"handful {words[0]} said {odd[0]!r}")
    return code
