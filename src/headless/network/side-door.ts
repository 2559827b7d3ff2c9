/**
 * Where headless peers come with tickets for side streams: TLS connections at the swarm's own TCP port. Made by main, given
 * sockets by the TCP transport (tls-guests), redeems at offered-sides. What is said there: peer-tls.
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { PrivateKey } from "@libp2p/interface";
import { CLOSE_TIMEOUT_MS, SIDE_OPEN_MS, TICKET_BYTES } from "../../exchange/limits.ts";
import type { OfferedSides } from "../../exchange/serving/offered-sides.ts";
import type { SendMemory } from "../../exchange/serving/send-memory.ts";
import { ticketText } from "../../exchange/side-path.ts";
import { subscriberOf } from "../../network/connecting/remote-address.ts";
import { HalfOpen } from "../../network/libp2p/half-open.ts";
import { MAX_WAITING_SIDES } from "../limits.ts";
import { peerContext } from "./peer-certificate.ts";
import { SIDE_ALPN } from "./peer-tls.ts";

export interface SideDoorParts {
  privateKey: PrivateKey;
  sides: OfferedSides;
  /** Somebody came without a ticket, or broke off; for the log. */
  onRefused(reason: unknown): void;
}

export class SideDoor {
  readonly #parts: SideDoorParts;
  /** From their first byte to their last. */
  readonly #sockets = new Set<Socket>();
  /** Those that have not shown a ticket, by their host. */
  readonly #waiting = new HalfOpen(MAX_WAITING_SIDES);
  #isStopped = false;

  constructor(parts: SideDoorParts) {
    this.#parts = parts;
  }

  /** A connection at rest whose first bytes are TLS. */
  take(socket: Socket): void {
    const onAdmitted = this.#isStopped
      ? undefined
      : this.#waiting.begin(subscriberOf(socket.remoteAddress ?? ""));
    if (onAdmitted === undefined) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    this.#serve(socket, onAdmitted).catch((reason) => {
      socket.destroy();
      this.#parts.onRefused(reason);
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(raw: Socket, onAdmitted: () => void): Promise<void> {
    const closed = new AbortController();
    raw.once("close", () => closed.abort(new Error("the peer went away")));
    const { socket, bytes } = await this.#admit(raw, closed.signal).finally(onAdmitted);
    await send(bytes, socket, { closed: closed.signal, memory: this.#parts.sides.memory });
  }

  /** The side stream that the ticket stands for, and the socket that it goes to. */
  async #admit(raw: Socket, closed: AbortSignal) {
    const signal = AbortSignal.any([closed, AbortSignal.timeout(SIDE_OPEN_MS)]);
    const socket = await this.#secure(raw, signal);
    const bytes = this.#parts.sides.redeem(ticketText(await readTicket(socket, signal)));
    if (bytes === undefined) throw new Error("no such ticket");
    return { socket, bytes };
  }

  async #secure(raw: Socket, signal: AbortSignal): Promise<TLSSocket> {
    const socket = new TLSSocket(raw, {
      isServer: true,
      secureContext: await peerContext(this.#parts.privateKey),
      ALPNProtocols: [SIDE_ALPN],
    });
    // Also when nobody waits for the handshake: an error without a listener would end the process.
    socket.on("error", () => raw.destroy());
    await once(socket, "secure", { signal });
    return socket;
  }
}

/** Whoever sends more than that is cut off, also later: there is nothing more to say. */
function readTicket(socket: TLSSocket, signal: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const ticket: number[] = [];
    socket.on("data", (piece: Uint8Array) => {
      if (ticket.length + piece.length > TICKET_BYTES) {
        socket.destroy();
        return;
      }
      ticket.push(...piece);
      if (ticket.length === TICKET_BYTES) resolve(Uint8Array.from(ticket));
    });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Until either of the two ends. One piece is encrypted while the one before it is on its way. */
async function send(
  bytes: ReadableStream<Uint8Array>,
  socket: TLSSocket,
  { closed, memory }: { closed: AbortSignal; memory: SendMemory },
): Promise<void> {
  const reader = bytes.getReader();
  closed.addEventListener("abort", () => void reader.cancel(), { once: true });
  // Whoever takes no bytes, or does not end its half, holds the connection no longer than its conversation.
  void reader.closed.then(() => {
    if (closed.aborted) return;
    const grace = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
    closed.addEventListener("abort", () => clearTimeout(grace), { once: true });
  });
  let sent = Promise.resolve();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const before = sent;
    sent = written(next.value);
    await before;
  }
  socket.end();

  /** Settles when the system has the bytes, or nobody wants them any more. */
  function written(piece: Uint8Array): Promise<void> {
    return new Promise((resolve) =>
      socket.write(piece, () => {
        memory.giveBack(piece);
        resolve();
      }),
    );
  }
}
