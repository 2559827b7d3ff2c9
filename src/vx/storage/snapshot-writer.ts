/**
 * Writes a snapshot: an index's state in one file that appears whole or not at all. Called by openIndexStore and the
 * store; calls snapshot-contents and metadata-rows. Holds a few chunks at a time, and lets others have their turn.
 */
import type { GraphState, StatePart } from "../hnsw/state.ts";
import { joinedBytes } from "../joined-bytes.ts";
import { nextTurn } from "../turns.ts";
import { type Cipher, fileCipher } from "./cipher.ts";
import { crc32c } from "./crc32.ts";
import { encodeHeader, type History, randomId } from "./file-header.ts";
import type { Folder, NewFile } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import { CHUNK_BYTES, CHUNKS_AT_ONCE, TURN_BYTES } from "./limits.ts";
import { encodeRows } from "./metadata-rows.ts";
import { encodeContents, encodeFooter, type Section } from "./snapshot-contents.ts";
import type { KeptModel, SnapshotSource } from "./stored-index.ts";

export const SNAPSHOT = "snapshot";

/** Chunks of a section, in order, each the receiver's own. */
type Chunks = Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>;

/**
 * Puts the snapshot in place of the one that is there. `sequence`: of the last operation in it. Without a source it is that of an
 * empty index. Where it fails before `onCommit` is called, the former one is untouched; behind that a medium may fail though the
 * new one stands there.
 * @throws VxError `storage_full`
 */
export async function writeSnapshot(
  folder: Folder,
  { history, sequence }: { history: History; sequence: number },
  key: IndexKey | undefined,
  source?: SnapshotSource,
  onCommit: () => void = () => {},
): Promise<{ sizeBytes: number }> {
  const file = await folder.create(SNAPSHOT);
  try {
    const fileId = randomId();
    const bytes = encodeHeader({ ...history, kind: "snapshot", sequence, fileId });
    await file.write(bytes);
    const writer = new SectionWriter(file, await fileCipher(key, fileId, bytes), bytes.byteLength);
    if (source !== undefined) {
      for (const { name, chunks } of graphSections(source.state)) await writer.write(name, chunks);
      if (source.reduced !== undefined) {
        await writer.write("model", modelChunks(source.reduced.model));
        await writer.write("originals", partChunks(source.reduced.originals));
      }
      await writer.write("metadata", encodeRows(source.metadata));
    }
    const sizeBytes = await writer.finish(fileId);
    onCommit();
    await file.commit();
    return { sizeBytes };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

function* graphSections({ header, parts }: GraphState): Generator<{ name: string; chunks: Chunks }> {
  yield { name: "graph", chunks: [header.slice()] };
  for (const part of parts) yield { name: part.name, chunks: partChunks(part) };
}

function modelChunks({ id, bytes }: KeptModel): Chunks {
  const whole = joinedBytes([id, bytes]);
  const read: StatePart["read"] = (offset, into) =>
    into.set(whole.subarray(offset, offset + into.byteLength));
  return partChunks({ byteLength: whole.byteLength, read });
}

function* partChunks(part: Pick<StatePart, "byteLength" | "read">): Generator<Uint8Array<ArrayBuffer>> {
  for (let offset = 0; offset < part.byteLength; offset += CHUNK_BYTES) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, part.byteLength - offset));
    part.read(offset, chunk);
    yield chunk;
  }
}

class SectionWriter {
  readonly #file: NewFile;
  readonly #cipher: Cipher;
  readonly #sections: Section[] = [];
  #chunkCount = 0;
  #offset: number;
  #turnBytes = 0;

  constructor(file: NewFile, cipher: Cipher, offset: number) {
    this.#file = file;
    this.#cipher = cipher;
    this.#offset = offset;
  }

  async write(name: string, chunks: Chunks): Promise<void> {
    const section: Section = { name, sizeBytes: 0, checksums: [] };
    this.#sections.push(section);
    const sealing: Promise<Uint8Array>[] = [];
    const atOnce = this.#cipher.overheadBytes > 0 ? CHUNKS_AT_ONCE : 1;
    try {
      for await (const chunk of chunks) {
        section.sizeBytes += chunk.byteLength;
        section.checksums.push(this.#cipher.overheadBytes > 0 ? 0 : crc32c(chunk));
        sealing.push(this.#cipher.seal(this.#chunkCount++, chunk));
        await this.#takeTurn(chunk.byteLength);
        if (sealing.length >= atOnce) await this.#append((await sealing.shift()) as Uint8Array);
      }
      while (sealing.length > 0) await this.#append((await sealing.shift()) as Uint8Array);
    } finally {
      await Promise.allSettled(sealing);
    }
  }

  /** Writes contents and footer; gives the size of the file. */
  async finish(fileId: Uint8Array): Promise<number> {
    const contents = await this.#cipher.seal(this.#chunkCount, encodeContents(this.#sections));
    const place = { contentsOffset: this.#offset, chunkCount: this.#chunkCount };
    const footer = encodeFooter(contents, place, fileId);
    await this.#append(contents);
    await this.#append(footer);
    return this.#offset;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes);
    this.#offset += bytes.byteLength;
  }

  async #takeTurn(sizeBytes: number): Promise<void> {
    this.#turnBytes += sizeBytes;
    if (this.#turnBytes < TURN_BYTES) return;
    this.#turnBytes = 0;
    await nextTurn();
  }
}
