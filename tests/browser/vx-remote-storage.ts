/** Index storages of a worker, as the contract's suite calls them: each method is a call to vx-storage.worker. */
import * as Comlink from "comlink";
import type { IndexMedium } from "../../src/browser/index/index-disk.ts";
import type { AppendFile, IndexStorage, NewFile, StoredFile } from "../../src/vx/storage/index-storage.ts";
import type { StorageService } from "./vx-storage.worker.ts";

export class StorageWorker {
  readonly #worker = new Worker(new URL("./vx-storage.worker.ts", import.meta.url), { type: "module" });
  readonly #service = Comlink.wrap<StorageService>(this.#worker);

  async open(medium: IndexMedium, path: string): Promise<IndexStorage> {
    return this.#remote(await this.#service.open(medium, path)) as unknown as IndexStorage;
  }

  end(): void {
    this.#worker.terminate();
  }

  #remote(number: number, sizeBytes?: number): IndexStorage & NewFile & AppendFile & StoredFile {
    const call = async (method: string, args: unknown[]) => {
      const answer = await this.#service.call(number, method, args);
      if (answer.held !== undefined) return this.#remote(answer.held, answer.sizeBytes);
      if (method === "read") (args[1] as Uint8Array).set(answer.args[1] as Uint8Array);
      return answer.result;
    };
    const of =
      (method: string) =>
      (...args: unknown[]) =>
        call(method, args) as Promise<never>;
    return {
      sizeBytes: sizeBytes ?? 0,
      ...{ list: of("list"), open: of("open"), create: of("create"), delete: of("delete") },
      ...{ startAppending: of("startAppending"), close: of("close"), read: of("read") },
      ...{ write: of("write"), commit: of("commit"), discard: of("discard") },
      ...{ append: of("append"), sync: of("sync"), truncate: of("truncate") },
    };
  }
}
