import gc
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import vx

from servers import COMMAND

QUERY = [1, 2, 3]


def started_index_pid(process):
    return int(process.stdout.readline())


@unittest.skipUnless(os.path.exists(COMMAND), "shoal is not built")
class OwnIndex(unittest.TestCase):
    """The class Vx: an index of this process."""

    @classmethod
    def setUpClass(cls):
        # One for the tests that need no parameter, nor its end. Settings of another node are no concern of it.
        others = {"SHOAL_VX_DISTANCE": "l2", "SHOAL_API_HOST": "0.0.0.0", "SHOAL_CONFIG": "/x"}
        with mock.patch.dict(os.environ, {"SHOAL_COMMAND": COMMAND, **others}):
            cls.index = vx.Vx(dimension=3)
        cls.addClassCleanup(cls.index.close)

    def setUp(self):
        self.folder = self.enter(tempfile.TemporaryDirectory())
        # Where the index puts its temporary folder, to be looked into.
        self.temporary = Path(self.folder, "tmp")
        self.temporary.mkdir()
        self.enter(mock.patch.dict(os.environ, {"SHOAL_COMMAND": COMMAND, "TMPDIR": str(self.temporary)}))

    def enter(self, context):
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def refused(self, code, **parameters):
        with self.assertRaises(vx.VxError) as caught:
            vx.Vx(**parameters)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return caught.exception

    def run_python(self, code, **options):
        """Another Python process, whose end is what a test is about."""
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, **options)
        self.enter(process)
        return process

    def test_in_memory(self):
        """an index in memory has the client's methods, leaves no file behind, and says that it is closed"""
        with vx.Vx(dimension=3) as index:
            self.assertIsNone(index.add(1, QUERY, {"topic": "physics"}))
            index.add(id=2, vector=[-1, 0, 0])
            self.assertEqual([found["id"] for found in index.search(QUERY, k=1)], [1])
            self.assertEqual(len(index.hybrid_search(QUERY, k=5, filter="topic = 'physics'")), 1)
            archive = index.backup()
            index.delete(1)
            self.assertEqual(index.restore(archive["path"])["vector_count"], 2)
            with self.assertRaises(vx.DimensionMismatchError):
                index.add(3, [1])
        self.assertEqual(list(self.temporary.iterdir()), [])
        index.close()
        with self.assertRaises(vx.VxError) as caught:
            index.search(QUERY)
        self.assertEqual(caught.exception.code, "unavailable")

    def test_backup_elsewhere(self):
        """an index in memory is backed up to any path, and another one restored from there; backup_path has its own"""
        place = Path(self.folder, "archives")
        with vx.Vx(dimension=3, backup_path=str(place), backup_compression=False, max_backups=2) as other:
            self.index.add(1, QUERY, {"topic": "physics"})
            path = str(Path(self.folder, "kept", "full.zip"))
            self.assertEqual(self.index.backup(path=path, incremental=False, compress=True)["path"], path)
            self.assertEqual(other.restore(path)["vector_count"], 1)
            self.assertEqual(Path(other.backup("one.zip")["path"]), place.resolve() / "one.zip")
            self.assertEqual(other.get(1)["metadata"], {"topic": "physics"})
            for no_file in (self.folder, "/dev/null"):
                with self.assertRaises(vx.VxError):
                    other.restore(no_file)

    def test_no_parent(self):
        """a process whose parent is gone before it gave a key ends at once, and tidies up"""
        ran = subprocess.run(
            ["node", COMMAND, "vx", "--child"], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        self.assertEqual(ran.returncode, 130, ran.stderr)
        self.assertEqual(json.loads(ran.stdout)["error"]["code"], "unavailable")
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_l2_and_capacity(self):
        """distance="l2" is the Euclidean distance, and max_elements bounds the index"""
        graph = {"hnsw_m": 8, "hnsw_ef_construct": 50, "hnsw_ef_search": 20}
        with vx.Vx(dimension=2, distance="l2", max_elements=1, **graph) as index:
            index.add(1, [3, 4])
            self.assertEqual(index.search([0, 0])[0]["distance"], 5.0)
            with self.assertRaises(vx.VxError) as caught:
                index.add(2, [3, 4])
            self.assertEqual(caught.exception.code, "capacity_exceeded")

    def test_stored(self):
        """an index with a storage_path, be it text or bytes, is there again, also after its process was killed"""
        path = Path(self.folder, "index")
        # A key that is said not to be used is none, and needed by nobody later.
        unused = {"encryption_enabled": False, "encryption_key": "k" * 32}
        index = vx.Vx(dimension=3, storage_path=path, persist_interval="1h", backup_interval="1h", **unused)
        self.addCleanup(index.close)
        index.add(1, QUERY)
        os.kill(index._process.pid, signal.SIGKILL)
        for call in (index.backup, index.metrics):
            with self.assertRaises(vx.VxError) as caught:
                call()
            self.assertEqual(caught.exception.code, "unavailable")
            self.assertIn("-9", str(caught.exception))
        index.close()
        self.assertEqual(list(self.temporary.iterdir()), [])
        with vx.Vx(dimension=3, storage_path=os.fsencode(path)) as again:
            self.assertEqual(again.get(1)["vector"], QUERY)
        self.refused("dimension_mismatch", dimension=4, storage_path=str(path))

    def test_encrypted(self):
        """an encrypted index opens with its key alone, which other users can't read, nor that of the API"""
        stored = {"dimension": 3, "storage_path": str(Path(self.folder, "index")), "encryption_enabled": True}
        with vx.Vx(**stored, encryption_key="k" * 32) as index:
            index.add(1, QUERY, {"secret": "plain words"})
            command_line = subprocess.run(
                ["ps", "-o", "args=", "-p", str(index._process.pid)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            self.assertIn("vx --child", command_line)
            self.assertNotIn(index._process.key, command_line)
            self.assertNotIn("kkk", command_line)
        with vx.Vx(**stored, encryption_key="k" * 32) as index:
            self.assertEqual(index.get(1)["metadata"], {"secret": "plain words"})
        self.refused("encryption_key_invalid", **stored, encryption_key="x" * 32)
        self.refused("encryption_key_invalid", **stored, encryption_key="short")

    def test_key_alone(self):
        """a key that is not said to be used or not is refused, since who gives one takes the index for encrypted"""
        path = Path(self.folder, "index")
        error = self.refused("invalid_request", dimension=3, storage_path=path, encryption_key="k" * 32)
        self.assertIn("encryption_enabled", str(error))
        self.assertFalse(path.exists())

    def test_quantization(self):
        """an index without rounded numbers takes less memory and finds the same"""
        chance = random.Random(1)
        vectors = [[chance.uniform(-1, 1) for _ in range(64)] for _ in range(1000)]
        records = [{"id": i, "vector": vector} for i, vector in enumerate(vectors)]
        memory = {}
        for quantization in ("int8", "none"):
            with vx.Vx(dimension=64, quantization=quantization) as index:
                index.batch_add(records)
                self.assertEqual(index.search(vectors[7], k=1)[0]["id"], 7)
                memory[quantization] = index.metrics()["memory_usage_mb"]
        self.assertLess(memory["none"], memory["int8"])

    def test_wrong_parameters(self):
        """a wrong parameter is refused by its name"""
        wrong = {
            "distance": "hamming",
            "max_elements": -1,
            "hnsw_m": 1,
            "hnsw_ef_construct": 0,
            "quantization": "int4",
            "persist_interval": "soon",
            "max_backups": 0,
            "dim_reduction_method": "LDA",
            "dim_reduction_min_variance": 1.5,
            "storage_path": "",
        }
        wrong_types = {
            "distance": b"l2",
            "max_elements": [1],
            "dim_reduction_method": None,
            "dim_reduction_min_variance": "0.5",
            "storage_path": None,
            "backup_path": 5,
        }
        for name, value in [*wrong.items(), *wrong_types.items(), ("storage_path", "a\0b")]:
            error = self.refused("invalid_request", dimension=3, **{name: value})
            self.assertIn(name, str(error))
        for dimension in (0, None, "3", 3.0, True):
            for reduces in (False, True):
                error = self.refused("invalid_request", dimension=dimension, enable_dim_reduction=reduces)
                self.assertIn("dimension", str(error))

    def test_wrong_keys(self):
        """a key that is no text, or none that the environment holds, is refused and not shown"""
        for key in (b"k" * 32, ["k" * 32], "k" * 32 + "\0", "\ud800" * 32, "\udfff" * 32):
            error = self.refused("invalid_request", dimension=3, encryption_enabled=True, encryption_key=key)
            self.assertIn("encryption_key", str(error))
            self.assertNotIn("kkk", str(error))

    def test_environment(self):
        """settings of another node in the environment do not count"""
        self.assertTrue(self.index._process.url.startswith("http://127.0.0.1:"))
        self.index.add(1, QUERY)
        self.assertAlmostEqual(self.index.search([10, 20, 30], k=1)[0]["distance"], 0, places=6)

    def test_closed_meanwhile(self):
        """a request under way when the index is closed says so, too"""
        index = vx.Vx(dimension=3)
        self.addCleanup(index.close)
        os.kill(index._process.pid, signal.SIGKILL)
        with mock.patch("vx.sender.time.sleep", lambda _: index.close()):
            with self.assertRaises(vx.VxError) as caught:
                index.search(QUERY)
        self.assertEqual((caught.exception.code, str(caught.exception)), ("unavailable", "The index is closed"))

    def test_forgotten(self):
        """an index that is forgotten ends its process"""
        index = vx.Vx(dimension=3)
        pid = index._process.pid
        del index
        gc.collect()
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_missing_node(self):
        """without Node.js, or without shoal, the error says what is missing"""
        with mock.patch.dict(os.environ, {"PATH": self.folder}):
            self.assertIn("Node.js 20.19", str(self.refused("unavailable", dimension=3)))
        with mock.patch.dict(os.environ, {"SHOAL_COMMAND": str(Path(self.folder, "no-shoal"))}):
            self.assertIn("no-shoal", str(self.refused("unavailable", dimension=3)))

    def test_no_index(self):
        """a program that is no shoal is told from one, with what it printed"""
        program = Path(self.folder, "other.js")
        for said in ("", "[1]", "{}", "plain words"):
            program.write_text(f"console.log({said!r}); console.error('nothing here'); process.exit(3)")
            with mock.patch.dict(os.environ, {"SHOAL_COMMAND": str(program)}):
                self.assertIn("nothing here", str(self.refused("unavailable", dimension=3)))

    @unittest.skipUnless(
        hasattr(os, "pidfd_open"), "this system tells nothing of processes that are no children"
    )
    def test_killed_parent(self):
        """the index's process ends by itself, and tidies up, when its parent is killed"""
        parent = self.run_python(
            "import vx; index = vx.Vx(dimension=3); print(index._process.pid, flush=True); input()",
            stdin=subprocess.PIPE,
        )
        descriptor = os.pidfd_open(started_index_pid(parent))
        self.addCleanup(os.close, descriptor)
        self.assertNotEqual(list(self.temporary.iterdir()), [])
        parent.kill()
        # Readable once that process has ended.
        ended, _, _ = select.select([descriptor], [], [], 60)
        self.assertEqual(ended, [descriptor])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_end_of_the_program(self):
        """a program that ends without close ends its index, having waited for it"""
        program = self.run_python(
            "import vx; index = vx.Vx(dimension=3); print(index._process.pid, flush=True)"
        )
        pid = started_index_pid(program)
        self.assertEqual(program.wait(), 0)
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        self.assertEqual(list(self.temporary.iterdir()), [])

    @unittest.skipUnless(hasattr(os, "fork"), "this system can't fork")
    def test_fork(self):
        """a forked process uses its parent's index, and does not end it"""
        self.index.add(1, QUERY)
        forked = os.fork()
        if forked == 0:
            is_right = False
            try:
                is_right = len(self.index.search(QUERY, k=1)) == 1
                self.index.close()
            finally:
                os._exit(0 if is_right else 1)
        self.assertEqual(os.waitpid(forked, 0)[1], 0)
        self.assertEqual(len(self.index.search(QUERY, k=1)), 1)

    def test_reduction(self):
        """an index reduces its vectors once enough are there, keeps its model, and gives them back as they were"""
        vectors = [[i % 7, i % 5, (i % 7) + (i % 5), 1] for i in range(1, 41)]
        parameters = {
            "dimension": 4,
            "storage_path": os.path.join(self.folder, "reduced"),
            "distance": "l2",
            "enable_dim_reduction": True,
            "fit_after": 30,
        }
        with vx.Vx(**parameters) as index:
            self.assertEqual(index.reduce_vectors([]), [])
            index.add(1, vectors[0])
            with self.assertRaises(vx.VxError) as caught:
                index.reduce_vectors(vectors)
            self.assertEqual(caught.exception.code, "conflict")
            index.batch_add({"id": i + 1, "vector": vector} for i, vector in enumerate(vectors))
            self.assertEqual(index.refit()["reduced_dimension"], 2)
            reduced = index.reduce_vectors(vectors)
            self.assertEqual([len(vector) for vector in reduced], [2] * 40)
            found = index.search(vectors[11], k=1)[0]
            self.assertEqual(found["distance"], 0)
            self.assertEqual(index.get(12)["vector"], vectors[11])
            with self.assertRaises(vx.DimensionMismatchError):
                index.search(reduced[0])
        self.refused("invalid_request", **{**parameters, "enable_dim_reduction": False})
        self.refused("invalid_request", **parameters, dim_reduction_method="UMAP")
        with vx.Vx(**parameters) as index:
            self.assertEqual(index.reduce_vectors(vectors), reduced)
            self.assertEqual(index.metrics()["reduced_dimension"], 2)

    def test_no_reduction(self):
        """without reduction there is no reduce_vectors"""
        self.assertFalse(hasattr(self.index, "reduce_vectors"))
        with self.assertRaisesRegex(AttributeError, "enable_dim_reduction"):
            self.index.refit()

    @unittest.skipIf(os.name == "nt", "a shell script")
    def test_reduction_of_an_older_program(self):
        """an index that is to reduce vectors and can't is refused instead of keeping them as they are"""
        older = Path(self.folder, "older")
        older.write_text(f'#!/bin/sh\nexec env -u SHOAL_VX_ENABLE_DIM_REDUCTION node "{COMMAND}" "$@"\n')
        older.chmod(0o755)
        with mock.patch.dict(os.environ, {"SHOAL_COMMAND": str(older)}):
            self.refused("reduction_disabled", dimension=4, enable_dim_reduction=True)
        self.assertEqual(list(self.temporary.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
