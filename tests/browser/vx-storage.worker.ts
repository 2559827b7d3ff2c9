/** A worker whose index storages are called from a page: sync handles exist in workers alone. See vx-remote-storage. */
import * as Comlink from "comlink";
import { type IndexMedium, openIndexDisk } from "../../src/browser/index/index-disk.ts";
import { toErrorData } from "../../src/vx/errors.ts";

/** Storages and files that the page holds, by number. */
const held = new Map<number, object>();
let lastNumber = 0;

function hold(object: object): number {
  held.set(++lastNumber, object);
  return lastNumber;
}

const service = {
  async open(medium: IndexMedium, path: string): Promise<number> {
    return named(async () => hold(await (await openIndexDisk(medium)).openStorage(path)));
  },

  /** Arguments come back too, for a read fills one of them. */
  async call(number: number, method: string, args: unknown[]) {
    return named(async () => {
      const target = held.get(number) as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const result = await target[method]?.(...args);
      if (typeof result !== "object" || result === null || Array.isArray(result)) return { result, args };
      return { held: hold(result), sizeBytes: (result as { sizeBytes?: number }).sizeBytes, args };
    });
  },
};

/** Comlink leaves an error's code behind, but sends a plain object whole. */
async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toErrorData(error);
  }
}

export type StorageService = typeof service;

Comlink.expose(service);
