"""Cases of tests."""

from functools import partial

import pytest

slow = partial(pytest.param, marks=pytest.mark.slow)  # which `make test` leaves out
