"""`python -m suffice` is the command `suffice`."""

from suffice.cli.main import main

if __name__ == "__main__":
    main()
