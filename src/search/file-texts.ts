/**
 * The text that stands for a file: what it holds, else what its holders tell of it, else nothing but its name. Made and called
 * by the indexer; calls the node for bytes and the thread that reads documents.
 */
import { isSharingError } from "../sharing/errors.ts";
import type { Courtesy } from "./courtesy.ts";
import type { Source } from "./file-records.ts";
import type { KnownFile } from "./known-file.ts";
import type { SearchPorts } from "./ports.ts";
import { NO_WORDS, type WordHashes, wordHashes } from "./text-words.ts";
import { bytesToRead } from "./texts/formats.ts";
import type { TextReader } from "./texts/text-reader.ts";

export interface FileText {
  source: Source;
  text: string;
  /** Those of its name too; none where nothing of its content is read. */
  words: WordHashes;
}

interface FileTextsParts extends Pick<SearchPorts, "node" | "log"> {
  texts: TextReader;
  courtesy: Courtesy;
}

export class FileTexts {
  readonly #parts: FileTextsParts;
  /**
   * When files were shared that could not be read for no fault of theirs, by their ids: tried again once they are
   * shared anew, or at the next start.
   */
  readonly #lost = new Map<string, number | undefined>();

  constructor(parts: FileTextsParts) {
    this.#parts = parts;
  }

  /** Whether there is content to be read, as far as its name and what was tried say. */
  isReadable(file: KnownFile): boolean {
    return file.isComplete && bytesToRead(file.name, file.sizeBytes) > 0 && !this.#isLost(file);
  }

  /** @throws the signal's reason alone */
  async read(file: KnownFile, signal: AbortSignal): Promise<FileText> {
    if (this.isReadable(file)) {
      const read = await this.#parts.courtesy.piece(signal, async () => {
        const text = await this.#content(file, signal);
        return text === undefined ? undefined : { text, words: contentWords(file.name, text) };
      });
      if (read !== undefined) return { source: "content", ...read };
      this.#lost.set(file.fileId, file.createdAt?.getTime());
    }
    const text = file.offeredExcerpt;
    return { source: text === "" ? "name" : "excerpt", text, words: NO_WORDS };
  }

  /** The file can't be found any more. */
  forget(fileId: string): void {
    this.#lost.delete(fileId);
  }

  #isLost({ fileId, createdAt }: KnownFile): boolean {
    return this.#lost.has(fileId) && this.#lost.get(fileId) === createdAt?.getTime();
  }

  /** Empty where the document can't be read, undefined where that may be another time: the file is found by its name. */
  async #content({ fileId, name, sizeBytes }: KnownFile, signal: AbortSignal): Promise<string | undefined> {
    const { node, texts, log } = this.#parts;
    try {
      const bytes = new Uint8Array(bytesToRead(name, sizeBytes));
      let at = 0;
      for await (const piece of node.read(fileId, { start: 0, end: bytes.byteLength }, signal)) {
        bytes.set(piece, at);
        at += piece.byteLength;
      }
      const document = await texts.read(name, bytes, signal);
      if ("text" in document) return document.text;
      log.debug("a document can't be read", { fileId, name, reason: document.unreadable });
      return "";
    } catch (error) {
      signal.throwIfAborted();
      // Deleted or lost meanwhile, the disk fails, or what would read it is not there: other files must not wait for it.
      if (!isSharingError(error, "file_not_found", "stopped")) {
        log.warn("a file could not be read for search", { fileId, name, error });
      }
      return undefined;
    }
  }
}

/** Some of a query's words may be in the name and the others in the text. */
function contentWords(name: string, text: string): WordHashes {
  return text === "" ? NO_WORDS : wordHashes(`${name} ${text}`);
}
