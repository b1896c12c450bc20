"""The fixture `external_purchase_emulator`."""

from collections.abc import Iterator

import pytest

from ._emulator import Emulator


@pytest.fixture
def external_purchase_emulator() -> Iterator[Emulator]:
    """An emulator of Apple's side of the test's own, which ends with the test."""
    with Emulator() as emulator:
        yield emulator
