"""How long the fuzzer runs: a minute in CI, always the same examples; longer and at random by `make fuzz`."""

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

WITHOUT_EXPLAINING = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)  # which takes a minute
LONG = "SUFFICE_FUZZ_MINUTES" in os.environ
TIMES = 10 if LONG else 1

settings.register_profile(
    "fuzz",
    deadline=None,
    derandomize=not LONG,
    database=None,
    print_blob=LONG,
    phases=WITHOUT_EXPLAINING,
    suppress_health_check=list(HealthCheck),
)


def examples(number):
    """So many examples in CI, and ten times as many in each round of `make fuzz`."""
    return settings(settings.get_profile("fuzz"), max_examples=number * TIMES)


quiet = [pytest.mark.filterwarnings(f"ignore::suffice.errors.{name}") for name in ("SufficeWarning",)] + [
    pytest.mark.filterwarnings("ignore:X (has|does not have) (valid )?feature names")
]
