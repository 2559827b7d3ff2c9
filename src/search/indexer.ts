/**
 * Brings the index of files into step with the directory, in the background: reads texts, embeds passages, stores vectors, a
 * batch after the other. Run by meaning; what it has done is in the index, so that a restart goes on where it stopped.
 */
import { Courtesy } from "./courtesy.ts";
import type { Directory } from "./directory.ts";
import type { Embedder } from "./embedding/embedder.ts";
import type { EmbeddedFile } from "./file-records.ts";
import { type FileText, FileTexts } from "./file-texts.ts";
import type { FileVectors } from "./file-vectors.ts";
import { IndexLack } from "./index-lack.ts";
import type { KnownFile } from "./known-file.ts";
import { CHARS_A_CALL, LOOK_ANEW_MS, TEXTS_A_BATCH } from "./limits.ts";
import { excerptOf, passagesOf } from "./passages.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";
import type { TextReader } from "./texts/text-reader.ts";

interface IndexerParts extends Pick<SearchPorts, "node" | "swarm" | "clock" | "log"> {
  directory: Directory;
  vectors: FileVectors;
  embedder: Embedder;
  texts: TextReader;
  traffic: MeaningPorts["traffic"];
  tellsExcerpts: boolean;
}

/** A file with its text, cut into what is embedded. */
interface ReadFile extends FileText {
  file: KnownFile;
  passages: string[];
}

type Told = Pick<EmbeddedFile, "source" | "excerpt" | "words">;

export class Indexer {
  readonly #parts: IndexerParts;
  readonly #courtesy: Courtesy;
  readonly #texts: FileTexts;
  readonly #lack: IndexLack;
  /** When files were shared of which others were told, by their ids. */
  readonly #toldOf = new Map<string, number | undefined>();
  /** Of files that wait, when the directory had that version. */
  #pending = { version: Number.NaN, count: 0 };

  constructor(parts: IndexerParts) {
    this.#parts = parts;
    this.#courtesy = new Courtesy(parts);
    this.#texts = new FileTexts({ ...parts, courtesy: this.#courtesy });
    this.#lack = new IndexLack({ ...parts, isUnread: (file) => this.#texts.isReadable(file) });
  }

  /** Files that still have to be read and embedded. */
  get pendingCount(): number {
    const { version } = this.#parts.directory;
    if (this.#pending.version !== version) this.#pending = { version, count: this.#lack.embedCount() };
    return this.#pending.count;
  }

  /** When there may be something to do although nothing has changed. */
  get nextLookMs(): number {
    return this.#lack.nextLookMs;
  }

  /** Does all there is to do now. @throws what embedding and the index throw; the signal's reason */
  async catchUp(signal: AbortSignal): Promise<void> {
    while (!(await this.#catchUpSome(signal))) {}
  }

  /** False where it left off to look anew. */
  async #catchUpSome(signal: AbortSignal): Promise<boolean> {
    const { directory, vectors } = this.#parts;
    directory.refresh();
    const lack = this.#lack.look();
    if (lack === undefined) return true;
    for (const file of directory.all()) {
      const known = vectors.get(file.fileId);
      if (known !== undefined) this.#tell(file, known);
    }
    for (const fileId of lack.delete) {
      signal.throwIfAborted();
      await this.#courtesy.piece(signal, () => vectors.delete(fileId));
      this.#lack.deleted(fileId);
      this.#toldOf.delete(fileId);
      this.#texts.forget(fileId);
    }
    for (const file of lack.restate) {
      signal.throwIfAborted();
      await this.#courtesy.piece(signal, () => vectors.restate(file));
    }
    return await this.#embedAll(lack.embed, signal);
  }

  /** False where others came, changed or went meanwhile, and it has taken so long that they are to be looked at first. */
  async #embedAll(files: readonly KnownFile[], signal: AbortSignal): Promise<boolean> {
    const { directory, clock } = this.#parts;
    const anewMs = clock.monotonic() + LOOK_ANEW_MS;
    const isAnew = () => clock.monotonic() >= anewMs && this.#lack.isOutdated;
    let batch: ReadFile[] = [];
    let textCount = 0;
    for (const [i, { fileId }] of files.entries()) {
      signal.throwIfAborted();
      // Between the look and now it may have gone or become complete.
      const file = directory.get(fileId);
      if (file !== undefined) {
        const read = await this.#texts.read(file, signal);
        const passages = passagesOf(file.name, read.text);
        batch.push({ ...read, file, passages });
        textCount += passages.length;
      }
      if (batch.length > 0 && (textCount >= TEXTS_A_BATCH || i === files.length - 1)) {
        await this.#store(batch, signal);
        this.#pending.count = Math.max(0, this.#pending.count - batch.length);
        batch = [];
        textCount = 0;
        if (isAnew()) break;
      }
    }
    this.#pending.version = Number.NaN;
    return !isAnew();
  }

  async #store(batch: readonly ReadFile[], signal: AbortSignal): Promise<void> {
    const { embedder, vectors, directory } = this.#parts;
    const all = await this.#embed(
      batch.flatMap(({ passages }) => passages),
      signal,
    );
    let at = 0;
    const embedded = batch.map(({ file, source, text, words, passages }): EmbeddedFile => {
      const from = at;
      at += passages.length * embedder.dimension;
      return { file, source, passages, excerpt: excerptOf(text), words, vectors: all.subarray(from, at) };
    });
    await this.#courtesy.piece(signal, () => vectors.put(embedded));
    // Of what was deleted meanwhile nobody is to be told.
    directory.refresh();
    for (const { file, ...told } of embedded) {
      const known = directory.get(file.fileId);
      if (known === undefined) continue;
      directory.setContent(known.fileId, told);
      this.#tell(known, told);
    }
  }

  /** Row-major [texts.length, dimension]; a few at a time, so that a transfer that begins meanwhile has way. */
  async #embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    const { embedder } = this.#parts;
    const all = new Float32Array(texts.length * embedder.dimension);
    for (let from = 0, to = 0; from < texts.length; from = to) {
      to = endOfCall(texts, from);
      const some = texts.slice(from, to);
      await this.#courtesy.rest(signal);
      const embeddings = await embedder.embed(some, signal, (tookMs) => this.#courtesy.worked(tookMs));
      all.set(embeddings, from * embedder.dimension);
    }
    return all;
  }

  /** The file is found by its text here and, where it can be had from here, by others, who forget that when it is deleted. */
  #tell({ fileId, isLocal, createdAt, isUnlisted }: KnownFile, told: Told): void {
    const { directory, swarm, tellsExcerpts } = this.#parts;
    const { source, excerpt } = told;
    if (!directory.hasContent(fileId)) directory.setContent(fileId, told);
    if (!tellsExcerpts || !isLocal || source !== "content") return;
    if (isUnlisted) {
      this.#toldOf.delete(fileId);
      return;
    }
    const sharedMs = createdAt?.getTime();
    if (this.#toldOf.get(fileId) === sharedMs) return;
    this.#toldOf.set(fileId, sharedMs);
    swarm.describe(fileId, excerpt);
  }
}

/** Where the texts end that are embedded at once from there on: at least one. */
function endOfCall(texts: readonly string[], from: number): number {
  let to = from + 1;
  for (let chars = texts[from]?.length ?? 0; to < texts.length; to++) {
    chars += texts[to]?.length ?? 0;
    if (chars > CHARS_A_CALL) break;
  }
  return to;
}
