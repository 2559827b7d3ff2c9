import os
import subprocess
import sys
import unittest
from pathlib import Path

from servers import COMMAND, IndexServer

REPOSITORY = Path(__file__).resolve().parents[4]
EXAMPLES = REPOSITORY / "tests" / "examples"


class Examples(unittest.TestCase):
    """The programs in tests/examples, as a newcomer would run them."""

    def run_example(self, name, **environment):
        ran = subprocess.run(
            [sys.executable, str(EXAMPLES / name)],
            capture_output=True,
            text=True,
            env={**os.environ, "SHOAL_COMMAND": COMMAND, **environment},
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def test_client(self):
        """the client's call shapes run as the specification shows them"""
        server = IndexServer()
        self.addCleanup(server.close)
        printed = self.run_example("python_client.py", SHOAL_URL=server.url, SHOAL_API_KEY=server.api_key)
        self.assertIn("dimension mismatch", printed)

    def test_in_process(self):
        """the class's call shapes run as the specification shows them"""
        self.assertIn("nearest: 1", self.run_example("python_in_process.py"))

    def test_reduction(self):
        """an index with dimensionality reduction is used as the specification shows it"""
        printed = self.run_example("python_reduction.py")
        self.assertIn("nearest: 7", printed)
        self.assertIn("reduced to: 4", printed)


if __name__ == "__main__":
    unittest.main()
