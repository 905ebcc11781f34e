"""`make fuzz`: rounds of random examples until the minutes are over, or until one fails.

Every round is a run of pytest with a seed of its own, which is printed: with it the round can be had again, and
pytest prints the smallest example that fails.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from secrets import randbelow

HERE = Path(__file__).parent


def main(minutes: float, *arguments: str) -> int:
    """How the first failing round ended, or 0."""
    until, number = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < until:
        number, seed = number + 1, randbelow(2**32)
        print(f"round {number}, seed {seed}", flush=True)
        again = f"SUFFICE_FUZZ_MINUTES={minutes:g} python -m pytest tests/fuzz --hypothesis-seed={seed}"
        failed = round_of(seed, minutes, arguments)
        if failed:
            print(f"Round {number} failed. Have it again with\n  {again}")
            return failed
    print(f"{number} rounds without a fault.")
    return 0


def round_of(seed: int, minutes: float, arguments: tuple[str, ...]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE), f"--hypothesis-seed={seed}"]
    return subprocess.run([*command, *arguments], env=os.environ | {"SUFFICE_FUZZ_MINUTES": f"{minutes:g}"}).returncode


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), *sys.argv[2:]))
