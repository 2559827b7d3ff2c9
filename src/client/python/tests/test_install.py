import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path
from unittest import mock

from servers import COMMAND

PROJECT = Path(__file__).resolve().parents[1]


class Install(unittest.TestCase):
    """What pip makes of this folder, without a network."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        venv.create(cls.folder / "venv")
        cls.python = cls.folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        # Where this Python has a pip that installs into others, unpacking another one would take most of the test's time.
        cls.pip_command = [sys.executable, "-m", "pip", "--python", str(cls.python)]
        if subprocess.run([*cls.pip_command, "--version"], capture_output=True).returncode != 0:
            subprocess.run([cls.python, "-m", "ensurepip"], check=True, capture_output=True)
            cls.pip_command = [cls.python, "-m", "pip"]

    def run_command(self, *command, **environment):
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**inherited, **environment},
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def run_python(self, *arguments, **environment):
        return self.run_command(self.python, *arguments, **environment)

    def pip(self, *arguments):
        return self.run_command(*self.pip_command, "--disable-pip-version-check", *arguments)

    def test_install(self):
        """pip installs it offline: typed, importable, and gone again when uninstalled"""
        self.pip("install", "--no-index", str(PROJECT))
        printed = self.run_python(
            "-c",
            "import vx, importlib.resources as r; print(vx.__file__); print((r.files(vx) / 'py.typed').is_file())",
        )
        location, is_typed = printed.splitlines()
        self.assertTrue(Path(location).resolve().is_relative_to(self.folder.resolve()))
        self.assertEqual(is_typed, "True")
        self.assertIn("Version: 0.1.0", self.pip("show", "shoal-vx"))
        if COMMAND == str(PROJECT.parents[2] / "dist" / "headless" / "shoal.js"):
            found = "import vx.command; print(vx.command.find_command()[-1])"
            self.assertEqual(self.run_python("-c", found, SHOAL_COMMAND="").strip(), COMMAND)
        self.pip("uninstall", "--yes", "shoal-vx")
        self.assertEqual(list(Path(location).parents[1].glob("*vx*")), [])

    def test_editable(self):
        """an editable install runs the sources in this folder"""
        self.pip("install", "--no-index", "--editable", str(PROJECT))
        location = self.run_python("-c", "import vx; print(vx.__file__)").strip()
        self.assertEqual(Path(location).resolve(), PROJECT / "vx" / "__init__.py")
        self.pip("uninstall", "--yes", "shoal-vx")


class Archives(unittest.TestCase):
    """The build backend."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        path = mock.patch.object(sys, "path", [str(PROJECT / "backend"), *sys.path])
        path.start()
        self.addCleanup(path.stop)
        import shoal_build

        self.backend = shoal_build

    def test_version(self):
        """its version is that of shoal"""
        manifest = json.loads((PROJECT.parents[2] / "package.json").read_text())
        self.assertEqual(self.backend.VERSION, manifest["version"])

    def test_same_bytes(self):
        """equal sources give equal wheels, whose RECORD names every file with its hash"""
        digests = set()
        for name in ("one", "two"):
            place = self.folder / name
            place.mkdir()
            wheel = place / self.backend.build_wheel(str(place))
            digests.add(hashlib.sha256(wheel.read_bytes()).hexdigest())
        self.assertEqual(len(digests), 1)
        with zipfile.ZipFile(wheel) as archive:
            record = archive.read("shoal_vx-0.1.0.dist-info/RECORD").decode()
            self.assertEqual(
                sorted(line.split(",")[0] for line in record.splitlines()), sorted(archive.namelist())
            )

    def test_sdist(self):
        """a wheel can be built from the sdist"""
        with tarfile.open(self.folder / self.backend.build_sdist(str(self.folder))) as archive:
            names = {name.split("/", 1)[1] for name in archive.getnames()}
        self.assertLessEqual(
            {
                "pyproject.toml",
                "README.md",
                "PKG-INFO",
                "backend/shoal_build.py",
                "vx/__init__.py",
                "vx/py.typed",
            },
            names,
        )


if __name__ == "__main__":
    unittest.main()
