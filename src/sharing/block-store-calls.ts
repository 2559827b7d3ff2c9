/**
 * The calls of interface-blockstore that only repeat others, written once: every block store takes these as its methods.
 * Called through the stores; calls their own `write`, `flush`, `get`, `delete` and `list`.
 */
import type { InputPair, Pair } from "interface-blockstore";
import type { CID } from "multiformats/cid";
import { type BlockBytes, collectBytes } from "./collect-bytes.ts";
import type { BlockStore } from "./ports.ts";

type Source<T> = Iterable<T> | AsyncIterable<T>;
type Aborting = { signal?: AbortSignal };

export async function put(
  this: Pick<BlockStore, "write" | "flush">,
  cid: CID,
  input: BlockBytes,
  options?: Aborting,
): Promise<CID> {
  const bytes = await collectBytes(input);
  options?.signal?.throwIfAborted();
  await this.write(cid, bytes);
  await this.flush();
  return cid;
}

export async function* putMany(
  this: Pick<BlockStore, "put">,
  source: Source<InputPair>,
  options?: Aborting,
): AsyncGenerator<CID> {
  for await (const { cid, bytes } of source) yield await this.put(cid, bytes, options);
}

export async function* getMany(
  this: Pick<BlockStore, "get">,
  source: Source<CID>,
  options?: Aborting,
): AsyncGenerator<Pair> {
  for await (const cid of source) yield { cid, bytes: this.get(cid, options) };
}

export async function* getAll(
  this: Pick<BlockStore, "get" | "list">,
  options?: Aborting,
): AsyncGenerator<Pair> {
  for await (const cid of this.list()) yield { cid, bytes: this.get(cid, options) };
}

export async function* deleteMany(
  this: Pick<BlockStore, "delete">,
  source: Source<CID>,
  options?: Aborting,
): AsyncGenerator<CID> {
  for await (const cid of source) {
    await this.delete(cid, options);
    yield cid;
  }
}
