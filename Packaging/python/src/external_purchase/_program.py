"""Where the program is."""

import os
from pathlib import Path


def program() -> Path:
    """Returns the path of the program `external-purchase`: that of this package, or the file that EXTERNAL_PURCHASE names."""
    named = os.environ.get("EXTERNAL_PURCHASE")
    path = Path(named) if named else Path(__file__).parent / "program" / "bin" / "external-purchase"
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist: install the wheel of this system, or name the program in EXTERNAL_PURCHASE")
    if not os.access(path, os.X_OK):
        raise PermissionError(f"{path} may not be executed: chmod +x {path}")
    return path
