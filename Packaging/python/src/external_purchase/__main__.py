"""The command `external-purchase`, which becomes the program."""

import os
import sys

from ._program import program


def main() -> None:
    try:
        os.execv(os.fspath(program()), ["external-purchase", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"external-purchase: {error}")


if __name__ == "__main__":
    main()
