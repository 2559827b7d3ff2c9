"""The build backend of this package: PEP 517 and, for editable installs, PEP 660.

Called by pip, which need fetch nothing for it. A wheel is a zip file with three files of metadata in it
(https://packaging.python.org/specifications/binary-distribution-format); an sdist is a tar file.
"""

import base64
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

NAME = "shoal_vx"
VERSION = "0.1.0"
TAG = "py3-none-any"

ROOT = Path(__file__).resolve().parent.parent

METADATA = f"""\
Metadata-Version: 2.1
Name: shoal-vx
Version: {VERSION}
Summary: Client of Shoal's vector index, and the index as a class
License: MIT
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text(encoding="utf-8")}"""

WHEEL = f"""\
Wheel-Version: 1.0
Generator: shoal_build
Root-Is-Purelib: true
Tag: {TAG}
"""

# The earliest time that a zip file can hold: equal sources give equal bytes.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    modules = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in _package_files()}
    return _write_wheel(Path(wheel_directory), modules)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(Path(wheel_directory), {f"_{NAME}.pth": f"{ROOT}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    stem = f"{NAME}-{VERSION}"
    names = ["pyproject.toml", "README.md", "backend/shoal_build.py"]
    files = {name: (ROOT / name).read_bytes() for name in names}
    files.update((path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in _package_files())
    files["PKG-INFO"] = METADATA.encode()
    with tarfile.open(Path(sdist_directory, f"{stem}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return f"{stem}.tar.gz"


def _package_files():
    return sorted(path for path in (ROOT / "vx").iterdir() if path.suffix == ".py" or path.name == "py.typed")


def _write_wheel(folder, files):
    info = f"{NAME}-{VERSION}.dist-info"
    files = {**files, f"{info}/METADATA": METADATA.encode(), f"{info}/WHEEL": WHEEL.encode()}
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-{VERSION}-{TAG}.whl"
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return wheel


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
