import socket
import struct
import sys
import threading
import time
import unittest
from unittest import mock

import vx

from servers import ScriptedServer, answering, http

QUERY = [1, 2, 3, 4]
NONE_FOUND = http('{"results":[]}')


class OddServers(unittest.TestCase):
    """What a client bears of a server that is wrong, slow, or out to harm it."""

    def serve(self, answer, port=0):
        server = ScriptedServer(answer, port)
        self.addCleanup(server.close)
        return server

    def client(self, server, **options):
        client = vx.Client(server.url, api_key="k", **options)
        self.addCleanup(client.close)
        return client

    def assert_fails(self, code, call):
        with self.assertRaises(vx.VxError) as caught:
            call()
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return caught.exception

    def assert_answer_refused(self, answer, code="bad_answer"):
        client = self.client(self.serve(answering(answer)), retries=0, timeout=20)
        return self.assert_fails(code, lambda: client.search(QUERY))

    def test_reuse(self):
        """requests one after another take one connection"""
        server = self.serve(answering(NONE_FOUND))
        client = self.client(server)
        for _ in range(5):
            self.assertEqual(client.search(QUERY), [])
        self.assertEqual((server.connection_count, len(server.requests)), (1, 5))

    def test_idle_connections_are_bounded(self):
        """of many connections used at once, few are kept"""
        together = threading.Barrier(20)

        def answer(connection):
            together.wait()
            connection.sendall(NONE_FOUND)
            return True

        server = self.serve(answer)
        client = self.client(server)
        threads = [threading.Thread(target=client.search, args=(QUERY,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kept = len(client._sender._connections._idle)
        self.assertGreater(kept, 0)
        self.assertLessEqual(kept, vx.limits.MAX_IDLE_CONNECTIONS)

    def test_lost_answer_of_a_search(self):
        """a search whose answer is lost is asked again, as often as retries says"""
        pauses = []
        with mock.patch("vx.sender.time.sleep", pauses.append):
            server = self.serve(lambda connection: False)
            client = self.client(server, retries=2)
            self.assert_fails("unreachable", lambda: client.search(QUERY))
            self.assertEqual(len(server.requests), 3)
        self.assertEqual(len(pauses), 2)
        self.assertGreater(pauses[1], pauses[0])

    def test_lost_answer_of_a_delete(self):
        """a delete whose answer is lost says None where the next try finds nothing, and False where none was lost"""
        missing = http('{"error":{"code":"not_found","message":"no"}}', "404 Not Found")
        busy = http('{"error":{"code":"unavailable","message":"soon"}}', "503 Service Unavailable")
        done = http('{"success":true}')
        lost = nothing, half = b"", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"
        for answers, expected in (
            ([nothing, missing], None),
            ([half, busy, missing], None),
            ([nothing, done], True),
            ([missing], False),
            ([busy, missing], False),
        ):
            left = list(answers)

            def answer(connection, left=left):
                sent = left.pop(0)
                connection.sendall(sent)
                return sent not in lost

            with self.subTest(answers=answers), mock.patch("vx.sender.time.sleep"):
                self.assertIs(self.client(self.serve(answer)).delete(1), expected)

    def test_lost_answer_of_a_delete_before_a_restart(self):
        """a delete whose answer is lost says None where the server was away before it finds nothing"""
        missing = http('{"error":{"code":"not_found","message":"no"}}', "404 Not Found")
        lost = ScriptedServer(lambda connection: False)
        client = self.client(lost)
        port = int(lost.url.rsplit(":", 1)[1])
        steps = [lost.close, lambda: self.serve(answering(missing), port)]
        with mock.patch("vx.sender.time.sleep", lambda _: steps.pop(0)()):
            self.assertIsNone(client.delete(1))
        self.assertEqual(steps, [])

    def test_missing_elsewhere(self):
        """only an index says that a vector is missing, and not what stands between"""
        for body, status, code in (
            ("Not Found", "404 Not Found", "bad_answer"),
            ('{"code":"not_found","message":"no route matched"}', "404 Not Found", "bad_answer"),
            ('{"error":true,"code":404,"message":"No such path"}', "404 Not Found", "bad_answer"),
            ('{"error":{"code":"not_found"}}', "404 Not Found", "bad_answer"),
            ('{"error":{"code":"not_found","message":"no such upstream"}}', "502 Bad Gateway", "not_found"),
        ):
            client = self.client(self.serve(answering(http(body, status))))
            with self.subTest(body=body):
                self.assert_fails(code, lambda client=client: client.get(1))
                self.assert_fails(code, lambda client=client: client.delete(1))

    def test_many_tries(self):
        """any number of tries may be asked for"""
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        pauses = []
        with mock.patch("vx.sender.time.sleep", pauses.append):
            client = vx.Client(f"http://127.0.0.1:{port}", api_key="k", retries=2000)
            self.assert_fails("unreachable", lambda: client.search(QUERY))
        self.assertEqual(len(pauses), 2000)
        self.assertEqual(max(pauses), vx.limits.MAX_RETRY_SECONDS)

    def test_half_an_answer(self):
        """an answer that ends early is no answer: the next try's counts"""
        answers = [b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{", NONE_FOUND]

        def answer(connection):
            connection.sendall(answers.pop(0))
            return False

        with mock.patch("vx.sender.time.sleep"):
            self.assertEqual(self.client(self.serve(answer)).search(QUERY), [])

    def test_lost_answer_of_a_backup(self):
        """a backup, restore or fit whose answer is lost is not asked for twice"""
        for call in (
            lambda client: client.backup(),
            lambda client: client.restore("a.zip"),
            lambda client: client.refit(),
        ):
            server = self.serve(lambda connection: False)
            client = self.client(server)
            self.assert_fails("unreachable", lambda call=call, client=client: call(client))
            self.assertEqual(len(server.requests), 1)

    def test_refused_connection(self):
        """where the connection is refused everything is tried again, a backup too"""
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        with mock.patch("vx.sender.time.sleep", lambda _: self.serve(answering(http('{"path":"x"}')), port)):
            client = vx.Client(f"http://127.0.0.1:{port}", api_key="k", retries=1)
            self.addCleanup(client.close)
            self.assertEqual(client.backup(), {"path": "x"})

    def test_nobody_there(self):
        """a server that stays away raises VxError unreachable"""
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        client = vx.Client(f"http://127.0.0.1:{port}", api_key="k", retries=0)
        self.assert_fails("unreachable", lambda: client.search(QUERY))

    def test_asked_for_patience(self):
        """a server that asks for patience is asked again after that time, unless it is long"""
        busy = http(
            '{"error":{"code":"rate_limited","message":"slow"}}',
            "429 Too Many Requests",
            "Retry-After: 2\r\n",
        )
        pauses = []
        with mock.patch("vx.sender.time.sleep", pauses.append):
            self.assertEqual(
                self.client(self.serve(answering(busy, http('{"path":"x"}')))).backup(), {"path": "x"}
            )
            self.assertEqual(pauses, [2.0])
            loading = http(
                '{"status":"loading","error":{"code":"unavailable","message":"The index is loading"}}',
                "503 Service Unavailable",
                "Retry-After: 1\r\n",
            )
            loaded = http('{"status":"ok","version":"1","uptime":0}')
            server = self.serve(answering(loading, loading, loaded))
            self.assertEqual(self.client(server).health()["status"], "ok")
            self.assertEqual(pauses[1:], [1.0, 1.0])
            self.assert_fails(
                "unavailable", lambda: self.client(self.serve(answering(loading)), retries=0).search(QUERY)
            )
            late = self.serve(answering(busy.replace(b"After: 2", b"After: 60")))
            self.assert_fails("rate_limited", lambda: self.client(late).search(QUERY))
            self.assertEqual(len(late.requests), 1)

    def test_unavailable_for_a_backup(self):
        """a backup is not asked for again where the server says 503, which may have begun it"""
        busy = http('{"error":{"code":"unavailable","message":"soon"}}', "503 Service Unavailable")
        server = self.serve(answering(busy, http('{"path":"x"}')))
        self.assert_fails("unavailable", self.client(server).backup)
        self.assertEqual(len(server.requests), 1)

    def test_patience_in_no_number(self):
        """a wait that is told by no number of ASCII is the longest there is"""
        busy = http('{"error":{"code":"rate_limited","message":"slow"}}', "429 Slow", "Retry-After: 1\r\n")
        pauses = []
        for wait in (b"\xb2", b"soon", b"-1"):
            server = self.serve(answering(busy.replace(b"Retry-After: 1", b"Retry-After: " + wait), NONE_FOUND))
            with mock.patch("vx.sender.time.sleep", pauses.append):
                self.assertEqual(self.client(server).search(QUERY), [])
        self.assertEqual(pauses, [vx.limits.MAX_RETRY_SECONDS] * 3)

    def test_silence(self):
        """a server that says nothing raises VxError timeout, and is not asked again"""
        ended = threading.Event()
        self.addCleanup(ended.set)
        server = self.serve(lambda connection: ended.wait())
        self.assert_fails("timeout", lambda: self.client(server, timeout=0.2).search(QUERY))
        self.assertEqual(len(server.requests), 1)

    def resolve(self, *hosts):
        """Has the name many.invalid these addresses."""
        real = socket.getaddrinfo

        def addresses(host, port, *rest, **options):
            if host != "many.invalid":
                return real(host, port, *rest, **options)
            return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, port)) for address in hosts]

        patch = mock.patch("socket.getaddrinfo", addresses)
        patch.start()
        self.addCleanup(patch.stop)

    def test_silent_addresses(self):
        """an address that takes no connection leaves time for the next, and all of them have that of one try"""
        server = self.serve(answering(NONE_FOUND))
        port = int(server.url.rsplit(":", 1)[1])
        silent = socket.create_server(("127.0.0.2", port), backlog=0)
        self.addCleanup(silent.close)
        # It waits to be accepted; whoever comes after it hears nothing.
        self.addCleanup(socket.create_connection(silent.getsockname()).close)
        self.resolve("127.0.0.2", "127.0.0.1")
        client = vx.Client(f"http://many.invalid:{port}", api_key="k", timeout=2)
        self.addCleanup(client.close)
        self.assertEqual(client.search(QUERY), [])
        self.resolve(*["127.0.0.2"] * 100)
        hasty = vx.Client(f"http://many.invalid:{port}", api_key="k", timeout=0.1)
        began = time.monotonic()
        self.assert_fails("timeout", lambda: hasty.search(QUERY))
        self.assertLess(time.monotonic() - began, 5)

    def test_silent_resolver(self):
        """a name that the system does not resolve in time raises VxError timeout"""
        ended = threading.Event()
        self.addCleanup(ended.set)
        with mock.patch("socket.getaddrinfo", lambda *_, **__: ended.wait(20)):
            client = vx.Client("http://silent.invalid", api_key="k", timeout=0.2)
            began = time.monotonic()
            self.assert_fails("timeout", lambda: client.search(QUERY))
            self.assertLess(time.monotonic() - began, 5)

    def test_address_without_a_port(self):
        """an IPv6 address without a port stands for the port of its scheme, as a name does"""
        for url, expected in (
            ("http://[::1]", ("::1", 80)),
            ("https://[2001:db8::abcd]/", ("2001:db8::abcd", 443)),
            ("http://[::1]:8081", ("::1", 8081)),
            ("http://localhost", ("localhost", 80)),
        ):
            with self.subTest(url), mock.patch("vx.connections.dial", side_effect=ConnectionRefusedError) as dial:
                client = vx.Client(url, api_key="k", retries=0)
                self.assert_fails("unreachable", lambda client=client: client.search(QUERY))
                self.assertEqual(dial.call_args.args[:2], expected)

    def test_drops_of_an_answer(self):
        """a server that sends a byte now and then holds a request no longer than its timeout"""
        for beginning in (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "):
            ended = threading.Event()
            self.addCleanup(ended.set)

            def answer(connection, beginning=beginning, ended=ended):
                connection.sendall(beginning)
                while not ended.wait(0.02):
                    connection.sendall(b" ")

            self.assert_fails("timeout", lambda: self.client(self.serve(answer), timeout=0.3).search(QUERY))

    def test_long_work(self):
        """a backup takes as long as the server is at work, a search half a minute, and both what the caller gives them"""
        late = 0.0
        clock = mock.Mock(monotonic=lambda: time.monotonic() + late)

        def answer(connection):
            nonlocal late
            late += 3600
            # Up to the connection's end: there is more to wait for, whenever its head is read.
            connection.sendall(b'HTTP/1.1 200 OK\r\n\r\n{"success":true,"path":"a.zip","vector_count":1,"results":[]}')

        server = self.serve(answer)
        with mock.patch("vx.timed_socket.time", clock), mock.patch("vx.connections.time", clock):
            client, hasty = self.client(server), self.client(server, timeout=3000)
            self.assertEqual(client.backup()["path"], "a.zip")
            self.assertEqual(client.restore("a.zip")["vector_count"], 1)
            client.batch_add([{"id": 1, "vector": QUERY}])
            self.assert_fails("timeout", lambda: client.search(QUERY))
            self.assert_fails("timeout", hasty.backup)

    @unittest.skipUnless(hasattr(socket, "TCP_KEEPIDLE"), "the system names it otherwise")
    def test_vanished_machine(self):
        """a server's machine that is gone without a word is asked for once a connection was silent for a minute"""
        client = self.client(self.serve(answering(NONE_FOUND)))
        client.search(QUERY)
        raw = client._sender._connections._idle[0].sock._raw
        self.assertTrue(raw.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
        self.assertEqual(raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE), 60)

    def test_endless_answer(self):
        """an answer without end is given up at the limit, in headers as in the body"""

        def body(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                connection.sendall(b"10000\r\n" + b"1" * 65536 + b"\r\n")

        def headers(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                connection.sendall(b"X: " + b"1" * 1000 + b"\r\n")

        with mock.patch("vx.connections.MAX_ANSWER_BYTES", 1024 * 1024):
            for answer in (body, headers):
                client = self.client(self.serve(answer), retries=0, timeout=60)
                self.assert_fails("bad_answer", lambda client=client: client.search(QUERY))

    def test_claimed_length(self):
        """a length that is only claimed takes no memory"""
        server = self.serve(
            lambda connection: connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nx"
            )
        )
        self.assert_fails("bad_answer", lambda: self.client(server, retries=0).search(QUERY))

    def test_long_integers(self):
        """metadata with an integer of more digits than Python converts is read"""
        body = f'{{"results":[{{"id":1,"distance":0,"metadata":{{"long":-{"9" * 5000},"n":{2**64}}}}}]}}'
        [found] = self.client(self.serve(answering(http(body)))).search(QUERY)
        self.assertLess(found["metadata"]["long"], -sys.float_info.max)
        self.assertEqual(found["metadata"]["n"], 2**64)

    def test_bad_json(self):
        """an answer of another shape than the index's raises VxError bad_answer"""
        bodies = [
            "",
            "{",
            "<html>",
            "[]",
            "1",
            "{}",
            '{"results":{}}',
            '{"results":[1]}',
            '{"results":[{"id":1}]}',
            '{"results":[{"distance":1}]}',
            f'{{"results":[{{"id":1,"distance":1{"0" * 400}}}]}}',
        ]
        for body in [*bodies, '{"results":[{"distance":"x"}]}', "[" * 100_000, "\ufeff{}"]:
            self.assert_answer_refused(
                http(body) if body.isascii() else http("{}").replace(b"{}", b"\xff\xfe")
            )
        long = self.client(self.serve(answering(http(f'{{"id":1,"vector":[1{"0" * 400}]}}'))))
        self.assert_fails("bad_answer", lambda: long.get(1))

    def test_no_answer_of_an_index(self):
        """JSON that is no index's raises VxError bad_answer, whatever was asked"""
        client = self.client(self.serve(answering(http("{}"))), retries=0)
        calls = {
            "add": lambda: client.add(1, QUERY),
            "backup": client.backup,
            "batch_add": lambda: client.batch_add([{"id": 1, "vector": QUERY}]),
            "delete": lambda: client.delete(1),
            "faceted_search": lambda: client.faceted_search(QUERY),
            "get": lambda: client.get(1),
            "health": client.health,
            "hybrid_search": lambda: client.hybrid_search(QUERY, filter="a = 1"),
            "metrics": client.metrics,
            "multi_vector_search": lambda: client.multi_vector_search([QUERY]),
            "query_metadata": lambda: client.query_metadata("SELECT id FROM metadata"),
            "reduce_vectors": lambda: client.reduce_vectors([QUERY]),
            "refit": client.refit,
            "restore": lambda: client.restore("a.zip"),
            "search": lambda: client.search(QUERY),
            "search_with_negatives": lambda: client.search_with_negatives(QUERY),
        }
        for name, call in calls.items():
            with self.subTest(name):
                self.assert_fails("bad_answer", call)
        methods = [name for name in vars(vx.Client) if not name.startswith("_") and name != "close"]
        self.assertEqual(sorted(methods), list(calls))

    def test_no_http(self):
        """an answer that is no HTTP raises VxError bad_answer"""
        for answer in (
            b"SSH-2.0-OpenSSH_9\r\n",
            b"HTTP/9 x\r\n\r\n",
            b"HTTP/1.1 " + b"9" * 100_000 + b"\r\n\r\n",
        ):
            self.assert_answer_refused(answer)

    def test_other_refusal(self):
        """a refusal in no shape of ours raises VxError with its status"""
        for body in ("<html>", "{}", '{"error":true}', '{"error":{"code":5,"message":[]}}'):
            error = self.assert_answer_refused(http(body, "502 Bad Gateway"))
            self.assertEqual(error.status, 502)

    def test_refusal_of_a_body(self):
        """a server that refuses a body need not read it: its refusal is told, and nothing is sent again"""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        accepted = []

        def refuse():
            while len(accepted) < 4:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                accepted.append(connection)
                connection.recv(1000)
                connection.sendall(
                    http('{"error":{"code":"payload_too_large","message":"long"}}', "413 Too Large")
                )
                # It closes at once, whatever was not read.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()

        threading.Thread(target=refuse, daemon=True).start()
        client = vx.Client(f"http://127.0.0.1:{listener.getsockname()[1]}", api_key="k")
        self.addCleanup(client.close)
        with mock.patch("vx.sender.time.sleep"):
            long = {"text": "x" * 50_000_000}
            self.assert_fails("payload_too_large", lambda: client.add(1, QUERY, long))
        self.assertEqual(len(accepted), 1)

    def test_redirect(self):
        """a redirect is not followed, so that the key stays with its server"""
        other = self.serve(answering(NONE_FOUND))
        self.assert_answer_refused(http("", "307 Temporary Redirect", f"Location: {other.url}/search\r\n"))
        self.assertEqual(other.requests, [])


if __name__ == "__main__":
    unittest.main()
