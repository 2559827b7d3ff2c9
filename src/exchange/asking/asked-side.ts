/**
 * The asking end of a side stream: asks for a ticket, opens the side stream with it, says when answers may come there, and
 * when no more. Made by asked-sides for a peer to which there is a way. Whatever goes wrong with it ends it alone, never the
 * conversation: what was asked for on it is asked for on the stream. Protocol: README.md.
 */
import { SharingError } from "../../sharing/errors.ts";
import { SIDE_OPEN_MS } from "../limits.ts";
import type { SideWay } from "../side-path.ts";
import type { Watchdog } from "../watchdog.ts";
import { type FrameHandler, FrameReader } from "../wire/frames.ts";
import type { Message } from "../wire/messages.ts";

export interface AskedSideParts {
  way: SideWay;
  watchdog: Watchdog;
  /** Takes the answers. */
  handler: FrameHandler;
  send(message: Message): void;
  /** What was asked for here does not come. */
  onEnd(): void;
  /** For the log. */
  onLost(reason: unknown): void;
}

export class AskedSide implements FrameHandler {
  readonly #parts: AskedSideParts;
  readonly #frames = new FrameReader(this);
  readonly #reading = new AbortController();
  #state: "asked" | "opening" | "open" | "ended" = "asked";
  #openingSinceMs = 0;
  #hasBrought = false;
  /** Whether another may be tried for the same conversation. */
  mayFollow = false;

  constructor(parts: AskedSideParts) {
    this.#parts = parts;
    parts.send({ type: "ticket_ask" });
  }

  /** Requests that are sent now are answered here. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /** @throws SharingError `protocol_error` for a ticket that was not asked for */
  onTicket(ticket: Uint8Array): void {
    if (this.#state !== "asked") throw new SharingError("protocol_error", "a ticket that nobody asked for");
    this.#state = "opening";
    this.#openingSinceMs = this.#parts.watchdog.awakeMs;
    const { signal } = this.#reading;
    const take = (bytes: Uint8Array) => {
      if (!signal.aborted) this.#frames.push(bytes);
    };
    this.#parts.way.read(ticket, take, signal).then(
      () => this.end(new SharingError("peer_lost", "the side stream ended")),
      (reason) => this.end(reason),
    );
  }

  onMessage(message: Message): void {
    if (message.type === "side_open" && this.#state === "opening") {
      this.#state = "open";
      this.#parts.send({ type: "side_begin" });
    } else if (this.#state === "open" && ANSWERS.has(message.type)) {
      this.#parts.handler.onMessage(message);
    } else {
      throw new SharingError("protocol_error", `${message.type} on a side stream`);
    }
  }

  onData(requestId: number, bytes: Uint8Array): void {
    this.#hasBrought = true;
    this.#parts.handler.onData(requestId, bytes);
  }

  onTick(awakeMs: number): void {
    if (this.#state === "opening" && awakeMs - this.#openingSinceMs >= SIDE_OPEN_MS) {
      this.giveUp(new SharingError("peer_lost", "the side stream did not open"));
    }
  }

  /** The conversation is over, and so is this. */
  close(): void {
    this.#state = "ended";
    this.#reading.abort();
  }

  /** Nothing more is read here, and nothing more asked for. */
  end(reason: unknown): void {
    if (this.hasEnded) return;
    const wasOpen = this.isOpen;
    this.close();
    if (wasOpen) {
      this.#parts.send({ type: "side_end" });
      this.#parts.onEnd();
    }
    // proxies end what was silent for a while
    this.mayFollow = this.#hasBrought;
    this.#parts.onLost(reason);
  }

  /** The same, for what would not be better another time. */
  giveUp(reason: unknown): void {
    this.end(reason);
    this.mayFollow = false;
  }
}

const ANSWERS: ReadonlySet<string> = new Set<Message["type"]>(["block", "missing", "cancelled"]);
