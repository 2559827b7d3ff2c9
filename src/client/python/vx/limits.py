"""Every limit of the client: unit, reason and source."""

#: Bytes of a batch in one request: some 2,000 vectors of 384 numbers, seconds of work for the server, and a quarter of
#: the 64 MiB that it takes at most (``--max-body``).
MAX_REQUEST_BYTES = 16 * 1024 * 1024

#: Bytes of an answer: 10,000 results with 25 kB of metadata each. More is refused before it is held.
MAX_ANSWER_BYTES = 256 * 1024 * 1024

#: Bytes of an answer that are read at once.
READ_BYTES = 256 * 1024

#: Connections kept open without a request: a thread takes one, so that eight threads never wait for a dial.
MAX_IDLE_CONNECTIONS = 8

#: Time before the second try of a request; it doubles, so that three more tries span 1.75 s, a restart of the server.
FIRST_RETRY_SECONDS = 0.25

#: The longest that a server which asks for patience (``Retry-After``) is waited for before a try.
MAX_RETRY_SECONDS = 10.0

#: Time of one try of a request by default: a search takes milliseconds, one among millions with a new filter seconds.
USUAL_TIMEOUT_SECONDS = 30.0

#: The longest that one try of a request may take: 23 days, somewhat less than poll() can wait (2^31 ms).
MAX_TIMEOUT_SECONDS = 2_000_000.0

#: Silence after which the system asks whether a server's machine is still there, as with Node.js's fetch: routers forget a
#: connection that is silent for some minutes.
KEEP_ALIVE_SECONDS = 60

#: Largest id over JSON (2^53 - 1): beyond it, readers of JSON round.
MAX_ID = 2**53 - 1

#: Time for one request to an index of this process, but for those that may take as long as there is to do.
OWN_INDEX_TIMEOUT_SECONDS = 600.0

#: Time that an index of this process has to stop by itself: it gives itself 5 s.
STOP_SECONDS = 10.0

#: Time in which an index of this process whose connections break is seen to have ended.
END_SECONDS = 1.0

#: Lines of what an index of this process logged that are kept, to be shown when it ends by itself.
MAX_LOG_LINES = 20

#: Bytes of the line in which an index of this process says where it is.
MAX_READY_BYTES = 64 * 1024
