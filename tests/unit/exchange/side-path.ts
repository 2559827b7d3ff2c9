/** A way for side streams in tests: what came on it, and what a test does to it. Used by the tests of side streams. */
import { expect } from "vitest";
import { type SidePath, type SideWay, ticketText } from "../../../src/exchange/side-path.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { type Block, wanted } from "./loopback.ts";

type Open = (ticket: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array> | null | undefined>;

export class TestPath implements SidePath {
  readonly opened: string[] = [];
  bytes = 0;
  /** Settles when the side stream that is open has ended, whoever ended it. */
  over: Promise<void> = Promise.resolve();
  /** Ends the side stream that is open, as a connection that is cut does. */
  cut: (reason: Error) => void = () => {};
  /** Called with each stretch before it is handed on; what it returns comes instead. */
  onBytes: (bytes: Uint8Array) => Uint8Array | undefined = (bytes) => bytes;
  readonly #open: Open;
  readonly #worthBytes: number;

  constructor(open: Open, worthBytes = 0) {
    this.#open = open;
    this.#worthBytes = worthBytes;
  }

  to(): SideWay {
    return {
      worthBytes: this.#worthBytes,
      read: (ticket, take, signal) => this.#read(ticketText(ticket), take, signal),
    };
  }

  async #read(ticket: string, take: (bytes: Uint8Array) => void, signal: AbortSignal): Promise<void> {
    this.opened.push(ticket);
    const side = await this.#open(ticket, signal);
    if (!side) throw new Error("no such ticket");
    const through = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        this.cut = (reason) => controller.error(reason);
      },
      transform: (bytes, controller) => {
        this.bytes += bytes.length;
        const seen = this.onBytes(bytes);
        if (seen !== undefined) controller.enqueue(seen);
      },
    });
    this.over = side.pipeTo(through.writable, { signal }).catch(() => {});
    for await (const bytes of through.readable) take(bytes);
  }
}

/** Fetches the block until an answer came on the side stream. */
export async function untilAside(
  { session, path }: { session: PeerSession; path: TestPath },
  block: Block,
): Promise<void> {
  for (let tries = 0; path.bytes < block.bytes.length; tries += 1) {
    if (tries === 500) throw new Error("nothing comes on the side stream");
    await session.fetch(wanted(block));
  }
}

export function expectEqual(received: Uint8Array[], blocks: Block[]): void {
  for (const [index, { bytes }] of blocks.entries())
    expect(Buffer.compare(received[index] as Uint8Array, bytes)).toBe(0);
}
