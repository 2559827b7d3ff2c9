/** Archives whose reader goes away. */
import { expect, it, vi } from "vitest";
import { folderArchive } from "../../../src/api/folder-archive.ts";
import type { LocalFile } from "../../../src/sharing/catalog/catalog-entry.ts";
import { encodeFolder } from "../../../src/sharing/folders/folder.ts";
import type { SharingNode } from "../../../src/sharing/sharing-node.ts";

const SEA = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

it("ends without a failure, and reads no further, where its reader goes away", async () => {
  const list = { id: "list", name: "trip.folder.json", createdAt: new Date(), complete: true };
  const bytesOfList = encodeFolder([{ path: "sea.bin", fileId: SEA, sizeBytes: 3 }]);
  const onLeft = vi.fn();
  async function* read(id: string): AsyncGenerator<Uint8Array, void> {
    if (id === list.id) {
      yield bytesOfList;
      return;
    }
    try {
      for (let at = 0; at < 3; at++) yield Uint8Array.of(at);
    } finally {
      onLeft();
    }
  }
  const file = (id: string) =>
    id === list.id ? { ...list, sizeBytes: bytesOfList.length } : { id, sizeBytes: 3, complete: true };
  const node = { read, file, files: () => [list.id, SEA].map(file) } as unknown as SharingNode;
  const { open } = await folderArchive(node, list as unknown as LocalFile, new AbortController().signal);
  const reader = open().getReader();
  // The file's head, its name, and some of it.
  for (let at = 0; at < 3; at++) await reader.read();
  await reader.cancel();
  expect(onLeft).toHaveBeenCalledOnce();
});
