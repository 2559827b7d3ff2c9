/**
 * One end of a port, whichever side it is: says hello and checks the other's version, hands on frames that are sound,
 * and ends once, with the reason. Used by asking and answering. What it stands on may be a MessagePort or a pipe of
 * BroadcastChannels.
 */
import { BridgeError, bridgeErrorFrom } from "./bridge-error.ts";
import { broken, cutText, type Frame, NEWEST_VERSION, OLDEST_VERSION, readFrame } from "./frames.ts";
import { SilenceWatch } from "./silence-watch.ts";

/** What the bridge needs of a port; a MessagePort has it, and so does a BroadcastChannel. */
export interface FramePort {
  postMessage(frame: unknown, transfer: Transferable[]): void;
  addEventListener(type: "message" | "messageerror" | "close", listener: (event: Event) => void): void;
  start?(): void;
  close(): void;
}

/** Frames that reach a side; the rest is dealt with here. */
export type SideFrame = Exclude<Frame, { type: "hello" | "ping" | "pong" | "bye" }>;

interface EndEvents {
  /** @throws BridgeError `protocol_error`, which ends the port */
  frame(frame: SideFrame): void;
  /** The port has ended, and with it all that was in flight; called once, at once. */
  ended(reason: BridgeError): void;
}

export class PortEnd {
  /** Resolves with the other end's name, its version being one to speak; rejects when the port ends before. */
  readonly hello: Promise<string>;
  /** Settles with the reason once the port has ended. */
  readonly ended: Promise<BridgeError>;
  readonly #port: FramePort;
  readonly #events: EndEvents;
  readonly #watch = new SilenceWatch(
    () => this.post({ type: "ping" }),
    () => this.end(new BridgeError("silent", "The other end of the bridge does not answer")),
  );
  #settleHello!: { resolve: (name: string) => void; reject: (error: BridgeError) => void };
  #tellEnd!: (reason: BridgeError) => void;
  #greeted = false;
  #reason: BridgeError | undefined;

  /** `name` tells the other end whom it speaks with. */
  constructor(port: FramePort, name: string, events: EndEvents) {
    this.#port = port;
    this.#events = events;
    this.hello = new Promise((resolve, reject) => {
      this.#settleHello = { resolve, reject };
    });
    // Only the asking side waits for it.
    this.hello.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    port.addEventListener("message", (event) => this.#receive((event as MessageEvent).data));
    port.addEventListener("messageerror", () => this.end(broken("a frame could not be read")));
    port.addEventListener("close", () => this.#finish(new BridgeError("closed", "The bridge is closed")));
    port.start?.();
    this.post({ type: "hello", oldest: OLDEST_VERSION, newest: NEWEST_VERSION, name });
  }

  /** Why the port has ended; undefined while it has not. */
  get reason(): BridgeError | undefined {
    return this.#reason;
  }

  post(frame: Frame, transfer: Transferable[] = []): void {
    if (this.#reason === undefined) this.#port.postMessage(frame, transfer);
  }

  /** While requests are in flight, an end that falls silent is noticed. */
  watchSilence(inFlight: boolean): void {
    if (inFlight) this.#watch.start();
    else this.#watch.stop();
  }

  /** Says bye and closes the port. */
  end(reason: BridgeError): void {
    this.post({ type: "bye", name: reason.name, message: cutText(reason.message) });
    this.#finish(reason);
  }

  #finish(reason: BridgeError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#port.close();
    this.#settleHello.reject(reason);
    this.#events.ended(reason);
    this.#tellEnd(reason);
  }

  #receive(data: unknown): void {
    if (this.#reason !== undefined) return;
    this.#watch.heard();
    try {
      this.#take(readFrame(data));
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      this.end(error);
    }
  }

  #take(frame: Frame): void {
    if (frame.type === "bye") this.#finish(bridgeErrorFrom(frame.name, frame.message));
    else if (frame.type === "hello") this.#greet(frame);
    else if (!this.#greeted) throw broken("a frame before hello");
    else if (frame.type === "ping") this.post({ type: "pong" });
    else if (frame.type !== "pong") this.#events.frame(frame);
  }

  #greet(frame: Frame & { type: "hello" }): void {
    if (this.#greeted) throw broken("a second hello");
    this.#greeted = true;
    const version = Math.min(frame.newest, NEWEST_VERSION);
    if (version < frame.oldest || version < OLDEST_VERSION) {
      throw new BridgeError(
        "version_mismatch",
        "This page and another part of the app are of versions that can't speak to each other: reload every tab",
      );
    }
    this.#settleHello.resolve(frame.name);
  }
}
