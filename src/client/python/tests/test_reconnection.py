import os
import unittest

import vx

from servers import IndexServer

QUERY = [1, 2, 3, 4]


class Reconnection(unittest.TestCase):
    """What a client bears of a server that comes and goes."""

    @classmethod
    def setUpClass(cls):
        cls.server = IndexServer()
        cls.addClassCleanup(cls.server.close)

    def test_restart(self):
        """a client goes on with a server that was killed and started again"""
        with self.server.client() as client:
            client.add(1, QUERY)
            self.server.kill()
            self.server.start()
            with self.server.client() as again:
                self.assertEqual([found["id"] for found in again.search(QUERY)], [1])
            with self.assertRaises(vx.VxError) as caught:
                client.search(QUERY)
            # The key was of one run: the answer shows that the old client reached the new server.
            self.assertEqual(caught.exception.code, "unauthorized")

    @unittest.skipUnless(hasattr(os, "fork"), "this system can't fork")
    def test_fork(self):
        """a forked process uses the client on connections of its own"""
        with self.server.client() as client:
            client.add(1, QUERY)
            forked = os.fork()
            if forked == 0:
                is_right = False
                try:
                    is_right = all(len(client.search(QUERY)) == 1 for _ in range(20))
                finally:
                    os._exit(0 if is_right else 1)
            for _ in range(20):
                self.assertEqual(len(client.search(QUERY)), 1)
            self.assertEqual(os.waitpid(forked, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
