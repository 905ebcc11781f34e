"""How long the fuzzer runs: a minute in CI, always the same examples; longer and at random by `make fuzz`."""

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

WITHOUT_EXPLAINING = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)  # which takes a minute
LONG = "SUFFICE_FUZZ_MINUTES" in os.environ
TIMES = 3 if LONG else 1

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
    """So many examples in CI, and three times as many in each round of `make fuzz`."""
    return settings(settings.get_profile("fuzz"), max_examples=number * TIMES)


def steps(number):
    """So many sequences of operations."""
    return settings(examples(number), stateful_step_count=25)


quiet = [  # what the library says about odd rows is no fault; a warning of any other kind is
    pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning"),
    pytest.mark.filterwarnings("ignore:X (has|does not have) (valid )?feature names"),
]
