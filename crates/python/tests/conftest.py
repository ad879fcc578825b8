"""What all tests of the package share."""

import signal

import pytest


@pytest.fixture(autouse=True)
def interruptible() -> None:
    """Ctrl-C counts, also where a shell started the tests in its background, which ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
