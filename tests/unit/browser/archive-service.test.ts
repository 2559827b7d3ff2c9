/** The folder of backups in the index's worker, as the window calls it. */
import * as Comlink from "comlink";
import { expect, it, onTestFinished, vi } from "vitest";
import { type ArchiveService, serveArchives } from "../../../src/browser/index/archive-service.ts";
import { VxError } from "../../../src/vx/errors.ts";
import type { DatedFolder } from "../../../src/vx/storage/index-storage.ts";

it("is opened at the next call where it could not be", async () => {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const openFolder = vi.fn(async () => ({ list: async () => [] as string[] }) as DatedFolder);
  openFolder.mockRejectedValueOnce(new VxError("storage_full", "no room"));
  serveArchives(port2 as Comlink.Endpoint, openFolder);
  const service = Comlink.wrap<ArchiveService>(port1 as Comlink.Endpoint);
  expect(await service.list()).toMatchObject({ error: { code: "storage_full" } });
  expect(await service.list()).toEqual({ value: [] });
  await service.list();
  expect(openFolder).toHaveBeenCalledTimes(2);
});
