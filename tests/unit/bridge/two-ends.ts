/** Both ends of the bridge over a real MessageChannel, and a bare port for a hostile end. */
import type { MessagePort } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { type Answer, type Served, serveRequests } from "../../../src/bridge/answering.ts";
import { type Asker, askOver } from "../../../src/bridge/asking.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";

export async function bothEnds(answer: Answer): Promise<{ asker: Asker; served: Served }> {
  const { port1, port2 } = new MessageChannel();
  const served = serveRequests(port1 as FramePort, answer);
  onTestFinished(() => served.end(new BridgeError("closed", "The test is over")));
  return { asker: await askOver(port2 as FramePort), served };
}

/** The other end of a port as a test writes it: frames as they come, in order, and any frame to send. */
export class BareEnd {
  readonly port: MessagePort;
  readonly #frames: unknown[] = [];
  #wake: () => void = () => undefined;

  constructor(port: MessagePort) {
    this.port = port;
    port.on("message", (frame: unknown) => {
      this.#frames.push(frame);
      this.#wake();
    });
    onTestFinished(() => port.close());
  }

  send(...frames: unknown[]): void {
    for (const frame of frames) this.port.postMessage(frame);
  }

  async next(): Promise<Record<string, unknown>> {
    while (this.#frames.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#frames.shift() as Record<string, unknown>;
  }

  /** The next frame of a type; those before it are passed over. */
  async nextOf(type: string): Promise<Record<string, unknown>> {
    for (;;) {
      const frame = await this.next();
      if (frame.type === type) return frame;
    }
  }
}

export const HELLO = { type: "hello", oldest: 1, newest: 1, name: "bare" };

/** A hostile asking end before a serving one. */
export function bareAsker(answer: Answer): { bare: BareEnd; served: Served } {
  const { port1, port2 } = new MessageChannel();
  const served = serveRequests(port1 as FramePort, answer);
  onTestFinished(() => served.end(new BridgeError("closed", "The test is over")));
  return { bare: new BareEnd(port2), served };
}

/** A hostile answering end before an asking one. */
export async function bareAnswerer(): Promise<{ bare: BareEnd; asker: Asker }> {
  const { port1, port2 } = new MessageChannel();
  const bare = new BareEnd(port1);
  bare.send(HELLO);
  const asker = await askOver(port2 as FramePort);
  onTestFinished(() => asker.end(new BridgeError("closed", "The test is over")));
  return { bare, asker };
}
