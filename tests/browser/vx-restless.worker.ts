/** A worker that writes to an index until it is ended, or reads what is there. See restless-writer. */
import * as Comlink from "comlink";
import { type IndexMedium, openIndexDisk } from "../../src/browser/index/index-disk.ts";
import { openIndexStore } from "../../src/vx/storage/open-index-store.ts";
import { nextTurn } from "../../src/vx/turns.ts";
import { writeWithoutEnd } from "../vx/storage/restless-writer.ts";
import { facts, loaded } from "../vx/storage/small-index.ts";

const service = {
  async write(medium: IndexMedium, path: string, first: number, tell: MessagePort): Promise<void> {
    const disk = await openIndexDisk(medium);
    await writeWithoutEnd({
      storage: await disk.openStorage(path),
      locateBackup: (name) => disk.locateArchive(`${path}/backups/${name}`),
      first,
      tell: (line) => tell.postMessage(line),
      pause: nextTurn,
    });
  },

  async read(medium: IndexMedium, path: string, encryptionKey?: string) {
    const disk = await openIndexDisk(medium);
    const store = await openIndexStore(await disk.openStorage(path), { create: facts, encryptionKey });
    const content = (await loaded(store)).content();
    await store.close();
    return content;
  },
};

export type RestlessService = typeof service;

Comlink.expose(service);
