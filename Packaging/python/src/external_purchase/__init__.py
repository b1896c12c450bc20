"""An emulator of Apple's side of external purchases, for tests. The emulator is the program that this package brings."""

from ._emulator import (
    Answer,
    App,
    Emulator,
    EmulatorError,
    Inbox,
    NotificationRefused,
    Token,
    milliseconds,
)
from ._program import program

__all__ = [
    "Answer",
    "App",
    "Emulator",
    "EmulatorError",
    "Inbox",
    "NotificationRefused",
    "Token",
    "milliseconds",
    "program",
]
