"""The command `external-purchase`, which becomes the program."""

import os
import sys

from ._program import program


def main() -> None:
    try:
        path = os.fspath(program())
    except FileNotFoundError as error:
        sys.exit(f"external-purchase: {error}")
    os.execv(path, ["external-purchase", *sys.argv[1:]])


if __name__ == "__main__":
    main()
