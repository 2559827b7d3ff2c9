/**
 * Reads one segment of the journal: its header, then its frames, up to where they stop being whole. Called by
 * segments; calls frame.
 *
 * A frame is written only after the one before it is durable. So a frame that is not whole, with a whole one behind
 * it, was damaged later: an error. With none behind it, it is the torn end of a write that nobody was told of:
 * dropped, whatever it is.
 */
import type { VxError } from "../errors.ts";
import { type Cipher, fileCipher } from "./cipher.ts";
import { damaged } from "./damage.ts";
import { decodeHeader, type FileHeader, HEADER_BYTES, isHeader } from "./file-header.ts";
import {
  besidePayload,
  decodeFacts,
  FRAME_HEADER_BYTES,
  type FrameFacts,
  findFrame,
  frameCrc,
  paddedFrame,
} from "./frame.ts";
import type { StoredFile } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import { REPLAY_READ_BYTES } from "./limits.ts";

export interface Frame {
  sequence: number;
  count: number;
  /** Offset behind it. */
  end: number;
  /** The operations' bytes, decrypted, the receiver's own. */
  payload(): Promise<Uint8Array<ArrayBuffer>>;
}

export class SegmentReader {
  readonly name: string;
  readonly header: FileHeader;
  readonly #file: StoredFile;
  readonly #cipher: Cipher;
  #window = new Uint8Array(0);
  #windowOffset = 0;

  constructor(name: string, file: StoredFile, header: FileHeader, cipher: Cipher) {
    this.name = name;
    this.header = header;
    this.#file = file;
    this.#cipher = cipher;
  }

  /**
   * The frames before operation number `until`, in order. Without it, the segment is the last one and may end torn.
   * @throws VxError naming the place, if operations that were acknowledged are missing
   */
  async *frames(until?: number): AsyncGenerator<Frame> {
    let offset = HEADER_BYTES;
    let next = this.header.sequence;
    while (until === undefined || next < until) {
      const frame = await this.#frame(offset);
      if (frame === undefined || frame.sequence !== next) {
        await this.#checkEnd(offset, next, until);
        return;
      }
      if (until !== undefined && next + frame.count > until) {
        throw this.#damaged(offset, `its operations overlap number ${until} of the next segment`);
      }
      yield frame;
      offset = frame.end;
      next += frame.count;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Tells the torn end of the last write from damage: behind damage, a whole frame follows. */
  async #checkEnd(offset: number, next: number, until: number | undefined): Promise<void> {
    if (until !== undefined) throw this.#damaged(offset, `operations ${next} to ${until - 1} are missing`);
    const torn = decodeFacts(await this.#view(offset, FRAME_HEADER_BYTES), this.header.fileId);
    if (torn?.sequence === next && offset + paddedFrame(torn.payloadBytes) >= this.#file.sizeBytes) return;
    for (let from = offset + 8; from < this.#file.sizeBytes; ) {
      const window = await this.#view(from, REPLAY_READ_BYTES);
      const step = findFrame(window);
      const frame = step === undefined ? undefined : await this.#frame(from + step);
      if (frame !== undefined && frame.sequence > next) {
        const last = frame.sequence - 1;
        throw this.#damaged(offset, `operations ${next} to ${last} are not whole, later ones are`);
      }
      from += step === undefined ? window.byteLength & ~7 || 8 : step + 8;
    }
  }

  /** The frame at the offset, if a whole one stands there. */
  async #frame(offset: number): Promise<Frame | undefined> {
    const facts = decodeFacts(await this.#view(offset, FRAME_HEADER_BYTES), this.header.fileId);
    if (facts === undefined) return undefined;
    const end = offset + paddedFrame(facts.payloadBytes);
    if (offset + FRAME_HEADER_BYTES + facts.payloadBytes > this.#file.sizeBytes) return undefined;
    const stored = await this.#view(offset, Math.min(end, this.#file.sizeBytes) - offset);
    if ((await frameCrc(stored, facts.payloadBytes, this.header.fileId)) !== facts.crc) return undefined;
    const { sequence, count } = facts;
    return { sequence, count, end, payload: () => this.#payload(offset, stored, facts) };
  }

  async #payload(offset: number, stored: Uint8Array, facts: FrameFacts): Promise<Uint8Array<ArrayBuffer>> {
    const sealed = stored.slice(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + facts.payloadBytes);
    const plain = await this.#cipher.open(facts.sequence, sealed, besidePayload(stored));
    if (plain === undefined) throw this.#damaged(offset, "a frame was changed after it was encrypted");
    return plain;
  }

  /** Bytes of the file as far as it goes, as a view that the next call overwrites. */
  async #view(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.#file.sizeBytes);
    const windowEnd = this.#windowOffset + this.#window.byteLength;
    if (offset < this.#windowOffset || end > windowEnd) {
      const bytes = Math.max(Math.min(REPLAY_READ_BYTES, this.#file.sizeBytes - offset), end - offset, 0);
      this.#window = new Uint8Array(bytes);
      this.#windowOffset = offset;
      await this.#file.read(offset, this.#window);
    }
    return this.#window.subarray(offset - this.#windowOffset, end - this.#windowOffset);
  }

  #damaged(offset: number, what: string): VxError {
    return damaged(`${this.name}, byte ${offset}`, what);
  }
}

/**
 * Undefined for a segment that was being made when the process ended: nothing was ever in it.
 * @throws VxError for damage, a newer version
 */
export async function openSegment(
  name: string,
  file: StoredFile,
  key: IndexKey | undefined,
): Promise<SegmentReader | undefined> {
  const bytes = new Uint8Array(Math.min(HEADER_BYTES, file.sizeBytes));
  await file.read(0, bytes);
  if (file.sizeBytes <= HEADER_BYTES && !isHeader(bytes)) return undefined;
  const header = decodeHeader(bytes, "journal", name);
  // Whatever its header says: with a key, nothing counts that was written without it.
  const cipher = await fileCipher(key, header.fileId, bytes);
  return new SegmentReader(name, file, header, cipher);
}
