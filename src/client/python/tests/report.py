"""Runs the tests beside it for another program: a line of JSON on stdout for each as it ends.

``report.py --list`` prints ``{"id", "title"}`` instead, and runs nothing. Called by tests/interop/python.test.ts.
"""

import json
import sys
import traceback
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def all_tests(suite):
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from all_tests(entry)
        else:
            yield entry


class Report(unittest.TestResult):
    """``outcome`` is passed, failed or skipped; ``detail`` says why."""

    def __init__(self):
        super().__init__()
        self._told = set()

    def addSuccess(self, test):
        super().addSuccess(test)
        tell(id=test.id(), outcome="passed", detail="")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        tell(id=test.id(), outcome="failed", detail=self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        tell(id=test.id(), outcome="failed", detail=self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        # The first that fails speaks for its test, which ends as neither success nor failure.
        if err is not None and test.id() not in self._told:
            self._told.add(test.id())
            tell(id=test.id(), outcome="failed", detail="".join(traceback.format_exception(*err)))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        tell(id=test.id(), outcome="skipped", detail=reason)


def tell(**fields):
    print(json.dumps(fields), flush=True)


def main():
    suite = unittest.TestLoader().discover(str(FOLDER))
    if "--list" in sys.argv:
        for test in all_tests(suite):
            tell(id=test.id(), title=test.shortDescription() or test.id())
    else:
        suite.run(Report())


if __name__ == "__main__":
    main()
