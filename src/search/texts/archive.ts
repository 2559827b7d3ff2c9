/**
 * A ZIP archive in memory, of which the names are listed and parts unpacked. Called by packed-text; calls fflate, which
 * unpacks from the front as bytes come, so that a bomb is left after the bytes that are allowed, and an archive cut
 * short gives what it has.
 */
import { Unzip, type UnzipFile, UnzipInflate } from "fflate";
import { joinedBytes } from "../../vx/joined-bytes.ts";
import { MAX_PART_BYTES, MAX_PARTS, MAX_UNPACKED_BYTES, UNPACK_BYTES } from "./limits.ts";

export class Archive {
  readonly #bytes: Uint8Array;
  readonly names: readonly string[];

  constructor(bytes: Uint8Array) {
    const names: string[] = [];
    this.#bytes = bytes;
    this.names = names;
    this.#walk(({ name }) => names.push(name) < MAX_PARTS);
  }

  /** The beginnings of the parts, by name, as far as they are whole. */
  unpack(wanted: (name: string) => boolean): Map<string, Uint8Array> {
    const parts = new Map<string, Uint8Array[]>();
    let roomBytes = MAX_UNPACKED_BYTES;
    let count = 0;
    this.#walk((file) => {
      if (++count > MAX_PARTS || roomBytes <= 0) return false;
      if (!wanted(file.name) || parts.has(file.name)) return true;
      const pieces: Uint8Array[] = [];
      let partBytes = 0;
      parts.set(file.name, pieces);
      file.ondata = (error, bytes) => {
        const isEnough = error !== null || partBytes > MAX_PART_BYTES || roomBytes <= 0;
        if (isEnough) return file.terminate();
        partBytes += bytes.byteLength;
        roomBytes -= bytes.byteLength;
        pieces.push(bytes);
      };
      file.start();
      return true;
    });
    return new Map([...parts].map(([name, pieces]) => [name, joinedBytes(pieces)]));
  }

  /** Tells of one part after the other, until it is told that it is enough. */
  #walk(onPart: (file: UnzipFile) => boolean): void {
    let isOver = false;
    const unzip = new Unzip((file) => {
      isOver ||= !onPart(file);
    });
    unzip.register(PartInflate);
    const { byteLength } = this.#bytes;
    try {
      for (let at = 0; at < byteLength && !isOver; at += UNPACK_BYTES) {
        unzip.push(this.#bytes.subarray(at, at + UNPACK_BYTES), at + UNPACK_BYTES >= byteLength);
      }
    } catch {
      // Damaged or of a kind that is not known: what came before counts.
    }
  }
}

/** Unpacks no more once it is told to stop: the rest of a bomb costs what its packed bytes do. */
class PartInflate extends UnzipInflate {
  #isOver = false;

  override push(bytes: Uint8Array, isLast: boolean): void {
    if (!this.#isOver) super.push(bytes, isLast);
  }

  terminate(): void {
    this.#isOver = true;
  }
}
