import math
import pickle
import unittest
from unittest import mock

import vx

from servers import IndexServer


class ClientErrors(unittest.TestCase):
    """Refusals, by class and code."""

    @classmethod
    def setUpClass(cls):
        cls.server = IndexServer()
        cls.addClassCleanup(cls.server.close)
        cls.client = cls.server.client(retries=0)
        cls.addClassCleanup(cls.client.close)

    def assert_refused(self, code, call, kind=vx.VxError):
        with self.assertRaises(vx.VxError) as caught:
            call()
        self.assertEqual((type(caught.exception), caught.exception.code), (kind, code), str(caught.exception))
        return caught.exception

    def test_dimension_mismatch(self):
        """a vector of another length raises DimensionMismatchError, which names both lengths"""
        calls = [
            lambda: self.client.add(1, [1, 2]),
            lambda: self.client.batch_add([{"id": 1, "vector": [1, 2]}]),
            lambda: self.client.search([1, 2]),
        ]
        for call in calls:
            error = self.assert_refused("dimension_mismatch", call, vx.DimensionMismatchError)
            self.assertEqual(str(error), "Vector dimension mismatch: expected 4, got 2")
            self.assertEqual(error.status, 400)

    def test_invalid_ids(self):
        """what is no unsigned integer of 53 bits raises InvalidIDError"""
        for id in (-1, 2**53, 10**6000, 1.0, 1.5, "1", None, True, [1]):
            self.assert_refused(
                "invalid_id", lambda id=id: self.client.add(id, [1, 2, 3, 4]), vx.InvalidIDError
            )
            self.assert_refused("invalid_id", lambda id=id: self.client.get(id), vx.InvalidIDError)
        self.client.add(2**53 - 1, [1, 2, 3, 4])
        self.assertEqual(self.client.search([1, 2, 3, 4])[0]["id"], 2**53 - 1)

    def test_invalid_vectors(self):
        """what is no vector is refused as such, wherever it is noticed"""
        wrong = ([1, 2, 3, float("nan")], [1, 2, 3, float("inf")], "1234", 5, None, [1, 2, 3, "4"])
        for vector in (*wrong, [1, 2, 3, [4]], [0, 0, 0, 0], {1: 2}, [1, 2, 3, 1e39]):
            self.assert_refused("invalid_vector", lambda vector=vector: self.client.add(1, vector))

    def test_other_refusals(self):
        """other refusals raise VxError with the server's code"""
        vector = [1, 2, 3, 4]
        self.assert_refused("invalid_query", lambda: self.client.hybrid_search(vector, k=1, filter="; DROP"))
        self.assert_refused("invalid_query", lambda: self.client.query_metadata("DELETE FROM metadata"))
        for records in (None, 5):
            self.assert_refused("invalid_request", lambda records=records: self.client.batch_add(records))
        for facets in ("text", ["text"], 5):
            self.assert_refused(
                "invalid_request", lambda facets=facets: self.client.faceted_search(vector, facets=facets)
            )
        self.assert_refused("invalid_request", lambda: self.client.search(vector, k=0))
        self.assert_refused("invalid_request", lambda: self.client.search(vector, page=0, page_size=1))
        self.assert_refused("reduction_disabled", lambda: self.client.reduce_vectors([vector]))
        self.assert_refused("reduction_disabled", self.client.refit)
        self.assert_refused("backup_not_found", lambda: self.client.restore("none.zip"))
        self.assert_refused("forbidden", lambda: self.client.backup("../outside.zip"))

    def test_metadata_that_json_cannot_say(self):
        """metadata that JSON can't say is refused before anything is sent"""
        cyclic = {}
        cyclic["self"] = cyclic
        deep = []
        for _ in range(100_000):
            deep = [deep]
        wrong = (
            {"n": float("nan")},
            {"n": object()},
            {1: 2},
            "text",
            cyclic,
            {"deep": deep},
            {"half": "\ud800"},
        )
        for metadata in wrong:
            call = lambda metadata=metadata: self.client.add(1, [1, 2, 3, 4], metadata)
            self.assert_refused("invalid_request", call)

    def test_places_of_what_json_cannot_say(self):
        """a refusal of what JSON can't say names the value and its place, in the order of what was given"""
        add, search, nan = self.client.add, self.client.search, math.nan
        vector = [1, 2, 3, 4]
        cyclic = {"n": 1}
        cyclic["self"] = cyclic
        tensor = type("Tensor", (), {"tolist": lambda self: [1.0, nan]})()
        for message, code, call in (
            ("vector[2] is nan, which", "invalid_vector", lambda: add(1, [1, 2, nan, math.inf])),
            ("vector[1] is nan, which", "invalid_vector", lambda: search(tensor)),
            ("vectors[1][0] is -inf, which", "invalid_vector",
             lambda: self.client.multi_vector_search([vector, [-math.inf]])),
            ("negative_vectors[0][1] is nan, which", "invalid_vector",
             lambda: self.client.search_with_negatives(vector, [[1, nan]])),
            ("vectors[0]: metadata.a.b[1] is nan, which", "invalid_request",
             lambda: self.client.batch_add([{"id": 1, "vector": vector, "metadata": {"a": {"b": ["", nan]}}}])),
            ("metadata.t[0] is nan, which", "invalid_request", lambda: add(1, vector, {"s": (1,), "t": (nan, {1})})),
            ("metadata.s is of the type set, which", "invalid_request", lambda: add(1, vector, {"s": {1}, "n": nan})),
            ("facets.n is inf, which", "invalid_request",
             lambda: self.client.faceted_search(vector, facets={"n": math.inf})),
            ("Circular", "invalid_request", lambda: add(1, vector, cyclic)),
        ):
            self.assertTrue(str(self.assert_refused(code, call)).startswith(message), message)

    def test_wrong_records(self):
        """a record of a batch without id or vector is refused by its place"""
        for record in ({"id": 1}, {"vector": [1, 2, 3, 4]}, [1, [1, 2, 3, 4]]):
            call = lambda record=record: self.client.batch_add([{"id": 0, "vector": [1, 2, 3, 4]}, record])
            self.assertIn("vectors[1]", str(self.assert_refused("invalid_request", call)))
        self.assertIsNone(self.client.get(0))

    def test_further_fields(self):
        """a field of a record whose sender means metadata is refused, as over HTTP, and others are passed over"""
        record = {"id": 5, "vector": [1, 2, 3, 4]}
        for further in ({"meta": {"a": 1}}, {"metadata": None, "payload": {"a": object()}}):
            name = list(further)[-1]
            error = self.assert_refused("invalid_request", lambda: self.client.batch_add([{**record, **further}]))
            self.assertEqual(str(error), f"vectors[0].{name}: is not taken here, but metadata is")
        self.assertIsNone(self.client.get(5))
        self.client.batch_add([{**record, "text": object(), 1: 2, "meta": None}])
        self.assertEqual(self.client.get(5)["metadata"], {})
        self.client.delete(5)

    def test_record_of_batch(self):
        """what is wrong with a record of a batch is told with its place"""
        vector = [1, 2, 3, 4]
        for code, record in (
            ("invalid_id", {"id": "1", "vector": vector}),
            ("invalid_vector", {"id": 1, "vector": [1, 2, 3, math.nan]}),
            ("invalid_vector", {"id": 1, "vector": [1, 2, 3, "4"]}),
            ("invalid_request", {"id": 1, "vector": vector, "metadata": {"n": object()}}),
            ("invalid_request", {"id": 1, "vector": vector, "metadata": {"half": "\ud800"}}),
        ):
            call = lambda record=record: self.client.batch_add([{"id": 0, "vector": vector}, record])
            kind = vx.InvalidIDError if code == "invalid_id" else vx.VxError
            self.assertRegex(str(self.assert_refused(code, call, kind)), r"^vectors\[1\]")

    def test_record_of_later_request(self):
        """a record that the server refuses is told of by its place among all, in whichever request it goes"""
        mismatch = (vx.DimensionMismatchError, "dimension_mismatch")
        for wrong, place, count, (kind, code), message in (
            ([0, 0, 0, 0], 7, 9, (vx.VxError, "invalid_vector"), r"^vectors\[7\]: "),
            ([1, 2], 7, 9, mismatch, r"expected 4, got 2 \(vectors\[7\], id 57\)$"),
            # In the last request, alone.
            ([0, 0, 0, 0], 6, 7, (vx.VxError, "invalid_vector"), r"^vectors\[6\]: "),
            ([1, 2], 6, 7, mismatch, r"expected 4, got 2 \(vectors\[6\]\)$"),
        ):
            records = [{"id": 50 + at, "vector": wrong if at == place else [1, 2, 3, 4]} for at in range(count)]
            with mock.patch("vx.client.MAX_REQUEST_BYTES", 100):
                error = self.assert_refused(code, lambda: self.client.batch_add(iter(records)), kind)
            self.assertRegex(str(error), message)
            self.assertEqual([self.client.delete(50 + at) for at in range(count)], [True] * 6 + [False] * (count - 6))

    def test_keys(self):
        """a request without a key, or with a wrong one, raises VxError unauthorized"""
        for key in (None, "wrong"):
            with vx.Client(self.server.url, api_key=key) as stranger:
                error = self.assert_refused("unauthorized", stranger.metrics)
                self.assertEqual(error.status, 401)

    def test_wrong_arguments(self):
        """a client of no server, with a key of no header, or without time is refused"""
        for url in (
            "",
            "ftp://127.0.0.1",
            "127.0.0.1:1",
            "http://",
            "http://me:pw@127.0.0.1",
            "http://:pw@127.0.0.1",
            "http://127.0.0.1:x",
            "http://[::1",
            "http://a b:1",
            "http://..:1",
            f"http://{'a' * 70}:1",
            "http://127.0.0.1:1/a b",
            "http://127.0.0.1:1/\u00fc",
            "http://127.0.0.1:1/#a",
            b"http://127.0.0.1:1",
            None,
            5,
        ):
            error = self.assert_refused("invalid_request", lambda url=url: vx.Client(url, api_key="k"))
            self.assertNotIn("pw", str(error))
        for options in (
            {"api_key": "a\r\nX: y"},
            {"api_key": "ü"},
            {"api_key": b"k"},
            {"api_key": 5},
            {"timeout": 0},
            {"timeout": float("nan")},
            {"timeout": "30"},
            {"retries": -1},
        ):
            self.assert_refused(
                "invalid_request", lambda options=options: vx.Client("http://127.0.0.1:1", **options)
            )

    def test_no_limit_of_time(self):
        """a timeout may be longer than any that the system's calls take"""
        for timeout in (float("inf"), 10**400, 1e12, 1e7):
            with self.server.client(timeout=timeout) as patient:
                self.assertEqual(patient.health()["status"], "ok")

    def test_pickled(self):
        """errors keep class and code when they cross to another process"""
        error = self.assert_refused(
            "dimension_mismatch", lambda: self.client.search([1]), vx.DimensionMismatchError
        )
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual(
            (type(again), again.code, again.status, str(again)),
            (
                vx.DimensionMismatchError,
                "dimension_mismatch",
                400,
                str(error),
            ),
        )


if __name__ == "__main__":
    unittest.main()
