"""The entry point of `consensus` and `python -m consensus`."""

from consensus.cli import main

if __name__ == "__main__":
    main()
