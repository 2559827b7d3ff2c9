import threading
import typing
import unittest
from pathlib import PurePosixPath

import vx
from vx.encoding import batch_bodies

from servers import DIMENSION, IndexServer

try:
    import numpy
except ImportError:
    numpy = None


def ids(results):
    return [result["id"] for result in results]


class ClientMethods(unittest.TestCase):
    """Each method of the client against a real index."""

    @classmethod
    def setUpClass(cls):
        cls.server = IndexServer()
        cls.addClassCleanup(cls.server.close)
        cls.client = cls.server.client()
        cls.addClassCleanup(cls.client.close)
        cls.client.batch_add(
            [
                {
                    "id": 1,
                    "vector": [1, 0, 0, 0],
                    "metadata": {"topic": "physics", "tags": ["a", "b"], "n": 1},
                },
                {
                    "id": 2,
                    "vector": [0.9, 0.1, 0, 0],
                    "metadata": {"topic": "chemistry", "tags": ["b"], "n": 2},
                },
                {"id": 3, "vector": [0, 1, 0, 0], "metadata": {"topic": "physics", "n": 3}},
                {"id": 4, "vector": [0, 0, 1, 0]},
            ]
        )

    def test_health_needs_no_key(self):
        """health answers without a key"""
        with vx.Client(self.server.url) as stranger:
            self.assertEqual(stranger.health()["status"], "ok")

    def test_search(self):
        """search gives id, distance and metadata, the nearest first"""
        first, second = self.client.search([1, 0, 0, 0], k=2)
        metadata = {"topic": "physics", "tags": ["a", "b"], "n": 1}
        self.assertEqual(first, {"id": 1, "distance": 0.0, "metadata": metadata})
        self.assertIsInstance(first["distance"], float)
        self.assertEqual(second["id"], 2)
        self.assertGreater(second["distance"], 0)

    def test_pages(self):
        """pages are slices of one ranking, numbered from 1 and empty past the end"""
        whole = self.client.search([1, 0.2, 0.1, 0], k=4)
        self.assertEqual(len(whole), 4)
        pages = [
            self.client.search(vector=[1, 0.2, 0.1, 0], k=4, page=page, page_size=3) for page in (1, 2, 3)
        ]
        self.assertEqual(pages, [whole[:3], whole[3:], []])

    def test_hybrid_search(self):
        """hybrid_search finds only what the SQL expression is true for"""
        found = self.client.hybrid_search([1, 0, 0, 0], k=10, filter="topic = 'physics' AND n > 1")
        self.assertEqual(ids(found), [3])

    def test_search_with_negatives(self):
        """search_with_negatives ranks what is near a negative down, and tells the score"""
        found = self.client.search_with_negatives([1, 0, 0, 0], [[0, 1, 0, 0]], k=4, page=1, page_size=4)
        self.assertEqual(ids(found)[0], 1)
        self.assertEqual(ids(found)[-1], 3)
        self.assertEqual(
            [result["score"] for result in found], sorted((r["score"] for r in found), reverse=True)
        )

    def test_faceted_search(self):
        """faceted_search asks for every facet, of which an array has to contain it"""
        self.assertEqual(ids(self.client.faceted_search([1, 0, 0, 0], k=10, facets={"tags": "b"})), [1, 2])
        found = self.client.faceted_search([1, 0, 0, 0], k=10, facets={"tags": "b", "topic": "chemistry"})
        self.assertEqual(ids(found), [2])

    def test_multi_vector_search(self):
        """multi_vector_search gives one ranking a query"""
        found = self.client.multi_vector_search([[0, 1, 0, 0], [0, 0, 1, 0]], k=1)
        self.assertEqual([ids(results) for results in found], [[3], [4]])

    def test_query_metadata(self):
        """query_metadata gives rows keyed by the selected columns"""
        rows = self.client.query_metadata(
            "SELECT topic, count(*) AS n FROM metadata WHERE topic IS NOT NULL GROUP BY topic ORDER BY topic"
        )
        self.assertEqual(rows, [{"topic": "chemistry", "n": 1}, {"topic": "physics", "n": 2}])

    def test_truncated_rows(self):
        """query_metadata tells whether there are more rows than it gives"""
        self.client.add(74, [0, 0, 0, 1], {"numbers": list(range(10_001))})
        query = "SELECT n.value FROM metadata, json_each(numbers) n WHERE metadata.id = 74"
        some = self.client.query_metadata(query)
        self.assertEqual((len(some), some.truncated), (10_000, True))
        every = self.client.query_metadata(f"{query} AND n.value > 0")
        self.assertEqual((len(every), every.truncated), (10_000, False))
        self.client.delete(74)

    def test_get_and_delete(self):
        """get and delete tell whether there is such a vector"""
        self.client.add(70, [0.5, 0.25, 0, 1], {"keep": None})
        record = {"id": 70, "vector": [0.5, 0.25, 0.0, 1.0], "metadata": {"keep": None}}
        self.assertEqual(self.client.get(70), record)
        self.assertIs(self.client.delete(70), True)
        self.assertIs(self.client.delete(70), False)
        self.assertIsNone(self.client.get(70))

    def test_add_replaces(self):
        """add returns nothing, and takes the place of what the id held"""
        self.assertIsNone(self.client.add(71, [0, 0, 0, 1], {"version": 1}))
        self.assertIsNone(self.client.add(id=71, vector=[0, 0, 0, 2], metadata={"version": 2}))
        self.assertEqual(self.client.get(71)["metadata"], {"version": 2})
        self.client.delete(71)

    def test_metrics(self):
        """metrics has the count of vectors and the memory they take"""
        metrics = self.client.metrics()
        self.assertEqual(metrics["vector_count"], 4)
        self.assertGreater(metrics["memory_usage_mb"], 0)
        self.assertIn("uptime_seconds", metrics)

    def test_backup_and_restore(self):
        """restore takes the path that backup gave, and tells the count of vectors"""
        full = self.client.backup(path="full.zip", incremental=False, compress=True)
        self.assertGreater(full["size_bytes"], 0)
        self.client.add(72, [0, 0, 0, 1])
        more = self.client.backup(incremental=True)
        self.assertIs(more["incremental"], True)
        self.assertEqual(self.client.restore(full["path"])["vector_count"], 4)
        self.assertIsNone(self.client.get(72))
        self.assertEqual(self.client.restore(more["path"])["vector_count"], 5)
        self.client.delete(72)

    def test_backup_paths(self):
        """a backup is named by anything that is a path"""
        full = self.client.backup(PurePosixPath("named.zip"))
        self.assertTrue(full["path"].endswith("named.zip"))
        self.assertEqual(self.client.restore(PurePosixPath("named.zip"))["vector_count"], 4)

    def test_unicode(self):
        """text of every script comes back as it was, as key and as value, and in a filter"""
        metadata = {"título": 'größe 語 🐟 \u0000 " \\ \u2028', "ключ": {"nested": ["ß", 1.5, True, None]}}
        self.client.add(73, [0, 0, 0, 1], metadata)
        self.assertEqual(self.client.get(73)["metadata"], metadata)
        self.client.add(73, [0, 0, 0, 1], {"título": "語🐟"})
        self.assertEqual(
            ids(self.client.hybrid_search([0, 0, 0, 1], k=1, filter="\"título\" = '語🐟'")), [73]
        )
        self.client.delete(73)

    def test_big_batch(self):
        """a batch of more than one request's length arrives whole, from a generator too"""
        self.client.batch_add(
            {"id": 1000 + at, "vector": [at, 1, 2, 3], "metadata": {"text": "x" * 100_000}}
            for at in range(200)
        )
        rows = self.client.query_metadata("SELECT count(*) AS n FROM metadata WHERE id >= 1000")
        self.assertEqual(rows, [{"n": 200}])
        for at in range(200):
            self.client.delete(1000 + at)

    def test_with_block(self):
        """a with block gives what it was given, to type checkers, too"""
        hints = typing.get_type_hints(vx.Client.__enter__)
        self.assertIs(hints["return"], hints["self"])

    def test_request_length(self):
        """a request of a batch is no longer than the limit, unless one record is"""
        for length in range(40, 80):
            records = [{"id": at, "vector": [at], "metadata": {"x": "y" * (length - 32)}} for at in range(9)]
            for _, body in batch_bodies(records, 200):
                self.assertLessEqual(len(body), 200)

    def test_threads(self):
        """threads share one client"""
        failures = []

        def work(number):
            try:
                for at in range(10):
                    id = 2000 + number * 10 + at
                    self.client.add(id, [number, at, 1, 5])
                    if self.client.get(id)["vector"] != [number, at, 1, 5]:
                        failures.append(id)
                    self.client.delete(id)
            except Exception as error:  # told by the test's own thread
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_numpy(self):
        """NumPy arrays and numbers stand for vectors, ids, k and metadata"""
        matrix = numpy.eye(DIMENSION, dtype=numpy.float32)
        self.client.batch_add(
            {"id": id, "vector": row * 2, "metadata": {"mean": row.mean(), "row": row}}
            for id, row in zip(numpy.arange(80, 84), matrix)
        )
        self.assertEqual(self.client.get(80)["metadata"], {"mean": 0.25, "row": [1.0, 0.0, 0.0, 0.0]})
        found = self.client.multi_vector_search(matrix, k=numpy.int64(10))
        self.assertTrue(all(80 + at in ids(results) for at, results in enumerate(found)))
        self.assertIn(81, ids(self.client.search_with_negatives(matrix[1], matrix[2:], k=10)))
        for id in numpy.arange(80, 84):
            self.assertIs(self.client.delete(id), True)


if __name__ == "__main__":
    unittest.main()
