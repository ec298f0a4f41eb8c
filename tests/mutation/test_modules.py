from __future__ import annotations

from tests.mutation.__main__ import REPOSITORY
from tests.mutation.modules import TESTS_OF


def test_every_module_that_is_mutated_is_there_with_its_tests() -> None:
    lacking = [name for name in TESTS_OF if not (REPOSITORY / f"{name.replace('.', '/')}.py").is_file()]
    lacking += [test for tests in TESTS_OF.values() for test in tests if not (REPOSITORY / test).is_file()]
    assert not lacking
