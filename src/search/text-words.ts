/**
 * Files by the words of their names and whole texts together: of each file the hashes of its words, which take little
 * room, so that a word far behind a text's beginning is found too, be it one that says nothing to a model, as names of
 * people do. Kept by the directory, asked by file-search. The hashes of a file are a stored format (file-records):
 * FNV-1a of 32 bits over the UTF-16 units of the words that words.ts makes, in ascending order.
 */
import { base64OfBytes, bytesOfBase64 } from "../vx/base64.ts";
import { MAX_TEXT_WORDS } from "./limits.ts";
import { isTelling, nameWords, queryWords } from "./names/words.ts";

/** Hashes of a text's words, each once, in ascending order. */
export type WordHashes = Uint32Array;

export const NO_WORDS: WordHashes = new Uint32Array();

export class TextWords {
  readonly #files = new Map<string, WordHashes>();

  set(fileId: string, words: WordHashes): void {
    if (words.length > 0) this.#files.set(fileId, words);
    else this.#files.delete(fileId);
  }

  delete(fileId: string): void {
    this.#files.delete(fileId);
  }

  /** Files with every word of the query that is not common to all texts, in no order. */
  find(query: string, isWanted: (fileId: string) => boolean): string[] {
    const asked = queryWords(query).filter(isTelling).map(hashOf);
    if (asked.length === 0) return [];
    const found: string[] = [];
    for (const [fileId, words] of this.#files) {
      if (asked.every((word) => has(words, word)) && isWanted(fileId)) found.push(fileId);
    }
    return found;
  }
}

export function wordHashes(text: string): WordHashes {
  return Uint32Array.from(new Set(nameWords(text, MAX_TEXT_WORDS).map(hashOf))).sort();
}

/** As metadata hold them: base64 of 32 bits each, little endian. */
export function encodeHashes(words: WordHashes): string {
  const bytes = new DataView(new ArrayBuffer(words.length * 4));
  for (const [at, word] of words.entries()) bytes.setUint32(at * 4, word, true);
  return base64OfBytes(new Uint8Array(bytes.buffer));
}

export function decodeHashes(base64: string): WordHashes {
  const bytes = new DataView(bytesOfBase64(base64).buffer);
  return Uint32Array.from({ length: bytes.byteLength / 4 }, (_, at) => bytes.getUint32(at * 4, true));
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function has(words: WordHashes, word: number): boolean {
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((words[middle] ?? 0) < word) from = middle + 1;
    else to = middle;
  }
  return words[from] === word;
}
