/** Payload that went over the lines from one node to another, to be held against what both of them have counted. */
import { FrameReader } from "../../src/exchange/wire/frames.ts";
import type { TrafficTotals } from "../../src/sharing/ports.ts";
import type { LineEnd } from "../unit/exchange/line.ts";

/** Of a server and an asker. */
interface Pair {
  arrivedBytes: number;
  uploadedBytes: number;
  downloadedBytes: number;
  /** Requests that were taken back: what still comes is thrown away. */
  cancelCount: number;
  /** Lines that ended with bytes under way. */
  brokenCount: number;
}

export class Tally {
  readonly #pairs = new Map<string, Pair>();

  /** A line on which `asker`, at its near end, asks `server`. */
  watch(asker: string, server: string, near: LineEnd, far: LineEnd): void {
    const pair = this.#pair(server, asker);
    onFrames(near, { onData: (bytes) => (pair.arrivedBytes += bytes) });
    onFrames(far, { onCancel: () => (pair.cancelCount += 1) });
    far.addEventListener("close", () => {
      if (far.writeBufferLength > 0) pair.brokenCount += 1;
    });
  }

  /** Its server, or its asker, will not hear how the line ends. */
  lost(asker: string, server: string): void {
    this.#pair(server, asker).brokenCount += 1;
  }

  /** What a process has counted in its life. */
  add(nodeId: string, peerId: string, { uploadedBytes, downloadedBytes }: TrafficTotals): void {
    this.#pair(nodeId, peerId).uploadedBytes += uploadedBytes;
    this.#pair(peerId, nodeId).downloadedBytes += downloadedBytes;
  }

  /** What does not add up. */
  *differences(): Iterable<string> {
    for (const [name, pair] of this.#pairs) {
      const { arrivedBytes, uploadedBytes, downloadedBytes, cancelCount, brokenCount } = pair;
      const isUploadRight = brokenCount > 0 ? uploadedBytes >= arrivedBytes : uploadedBytes === arrivedBytes;
      const isAllTaken = cancelCount === 0 && brokenCount === 0;
      const isDownloadRight = isAllTaken ? downloadedBytes === arrivedBytes : downloadedBytes <= arrivedBytes;
      if (!isUploadRight || !isDownloadRight) yield `${name}: ${JSON.stringify(pair)}`;
    }
  }

  #pair(server: string, asker: string): Pair {
    const name = `${server} to ${asker}`;
    const none = { arrivedBytes: 0, uploadedBytes: 0, downloadedBytes: 0, cancelCount: 0, brokenCount: 0 };
    const pair = this.#pairs.get(name) ?? none;
    this.#pairs.set(name, pair);
    return pair;
  }
}

function onFrames(
  end: LineEnd,
  { onData = () => {}, onCancel = () => {} }: { onData?: (bytes: number) => void; onCancel?: () => void },
): void {
  const reader = new FrameReader({
    onMessage: ({ type }) => {
      if (type === "cancel") onCancel();
    },
    onData: (_, { length }) => onData(length),
  });
  end.addEventListener("message", (event) => {
    for (const bytes of (event as Event & { data: Uint8Array[] }).data) reader.push(bytes);
  });
}
