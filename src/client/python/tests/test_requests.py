import json
import unittest
from pathlib import PurePosixPath

import vx

from servers import ScriptedServer, answering, http

VECTOR = [1, 0.5]
PAGE = {"k": 3, "page": 2, "page_size": 5}


class Requests(unittest.TestCase):
    """What each method is given stands in the request that it sends, and nothing else does."""

    def test_requests(self):
        """all that a method is given is sent"""
        server = ScriptedServer(answering(http("{}")))
        self.addCleanup(server.close)
        client = vx.Client(server.url, api_key="k")
        self.addCleanup(client.close)
        for call, line, body in [
            (client.health, "GET /health", None),
            (lambda: client.add(1, VECTOR), "POST /vectors", {"id": 1, "vector": VECTOR}),
            (
                lambda: client.add(1, VECTOR, {"a": 1}),
                "POST /vectors",
                {"id": 1, "vector": VECTOR, "metadata": {"a": 1}},
            ),
            (
                lambda: client.batch_add([{"id": 1, "vector": VECTOR}]),
                "POST /vectors/batch",
                {"vectors": [{"id": 1, "vector": VECTOR}]},
            ),
            (lambda: client.get(7), "GET /vectors/7", None),
            (lambda: client.delete(7), "DELETE /vectors/7", None),
            (lambda: client.search(VECTOR), "POST /search", {"vector": VECTOR, "k": 10}),
            (lambda: client.search(VECTOR, **PAGE), "POST /search", {"vector": VECTOR, **PAGE}),
            (
                lambda: client.hybrid_search(VECTOR, filter="a = 1", **PAGE),
                "POST /search/hybrid",
                {"vector": VECTOR, "filter": "a = 1", **PAGE},
            ),
            (
                lambda: client.search_with_negatives(VECTOR, [[0, 1]], **PAGE),
                "POST /search/negatives",
                {"positive_vector": VECTOR, "negative_vectors": [[0, 1]], **PAGE},
            ),
            (
                lambda: client.faceted_search(VECTOR, facets={"a": True}, **PAGE),
                "POST /search/faceted",
                {"vector": VECTOR, "facets": {"a": True}, **PAGE},
            ),
            (
                lambda: client.multi_vector_search([VECTOR], k=3),
                "POST /search/multi",
                {"vectors": [VECTOR], "k": 3},
            ),
            (lambda: client.query_metadata("SELECT 1"), "POST /metadata/query", {"query": "SELECT 1"}),
            (lambda: client.reduce_vectors([VECTOR]), "POST /reduce", {"vectors": [VECTOR]}),
            (client.refit, "POST /admin/refit", None),
            (client.backup, "POST /admin/backup", {"incremental": False}),
            (
                lambda: client.backup(PurePosixPath("a/b.zip"), incremental=True, compress=False),
                "POST /admin/backup",
                {"path": "a/b.zip", "incremental": True, "compress": False},
            ),
            (lambda: client.restore(PurePosixPath("b.zip")), "POST /admin/restore", {"path": "b.zip"}),
            (client.metrics, "GET /admin/metrics", None),
        ]:
            with self.assertRaises(vx.VxError) as caught:
                call()
            self.assertEqual(caught.exception.code, "bad_answer", line)
            self.assertEqual(server.requests[-1], f"{line} HTTP/1.1")
            sent = server.bodies[-1]
            self.assertEqual(json.loads(sent) if sent else None, body, line)


if __name__ == "__main__":
    unittest.main()
