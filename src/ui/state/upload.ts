/**
 * One file on its way into the node. Called by imports; calls the client. Bytes are counted as the node takes them where the
 * host carries streams; elsewhere the Blob goes as it is and its progress is not known.
 */
import type { ShoalClient, UploadOptions } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { IMPORT_TRIES, SENT_INTERVAL_MS } from "../limits.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface UploadHost {
  takesStreams: boolean;
  /** Settles when the node runs. */
  whenRunning(): Promise<void>;
}

interface UploadProgress {
  /** Told when it begins, also anew; undefined where it waits for another node. */
  startedMs?: number | undefined;
  /** Undefined where it can't be told. */
  sentBytes: number | undefined;
}

const UNREADABLE =
  "It can't be read: it may have been changed, moved or deleted since it was picked. Pick it again.";

/** @throws what `ShoalClient.upload` does, the signal's reason, and an Error for a file that is no more as it was given */
type Upload = (
  file: File,
  options: UploadOptions & { signal: AbortSignal },
  onProgress: (progress: UploadProgress) => void,
) => ReturnType<ShoalClient["upload"]>;

/**
 * A node that leaves with its tab answers 503. What it had of the file is no harm, so the next one is given it from the
 * start.
 */
export function createUpload(client: Pick<ShoalClient, "upload">, host: UploadHost): Upload {
  return async (file, options, onProgress) => {
    const counted = host.takesStreams && file.size > 0;
    for (let tries = 1; ; tries++) {
      await unlessAborted(host.whenRunning(), options.signal);
      onProgress({ startedMs: performance.now(), sentBytes: counted ? 0 : undefined });
      let isOver = false;
      const onSent = (sentBytes: number) => {
        if (!isOver) onProgress({ sentBytes });
      };
      const body = counted ? countedStream(file, onSent) : file;
      try {
        return await client.upload(body, options);
      } catch (error) {
        const hasLeft = error instanceof ShoalError && error.status === 503;
        if (hasLeft && tries < IMPORT_TRIES) {
          onProgress({ startedMs: undefined, sentBytes: undefined });
          continue;
        }
        if (options.signal.aborted || (await isReadable(file))) throw error;
        throw new Error(UNREADABLE, { cause: error });
      } finally {
        isOver = true;
      }
    }
  };
}

/** The node tells but that something failed, and some engines that it can't be reached. */
function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

/** Told now and then, since a fast disk sends thousands of pieces a second. */
function countedStream(file: File, onSent: (bytes: number) => void): ReadableStream<Uint8Array> {
  let sentBytes = 0;
  let isTold = true;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      sentBytes += piece.byteLength;
      controller.enqueue(piece);
      if (!isTold) return;
      isTold = false;
      setTimeout(() => {
        isTold = true;
        onSent(sentBytes);
      }, SENT_INTERVAL_MS);
    },
  });
  return file.stream().pipeThrough(counter);
}
