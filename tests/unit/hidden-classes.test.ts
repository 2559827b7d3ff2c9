/** Of what a node has thousands, all have one hidden class of V8's. */
import { expect, it, onTestFinished, vi } from "vitest";
import { BlockIndex, type IndexContents } from "../../src/headless/blocks/block-index.ts";
import { openFsBlockStore } from "../../src/headless/blocks/open-block-store.ts";
import { RAW } from "../../src/sharing/hash.ts";
import { detailOf } from "../../src/sharing/transfers/transfer-record.ts";
import { recordOf } from "../../src/sharing/transfers/transfer-request.ts";
import { openInProcess } from "../api/in-process.ts";
import { addBlock } from "../contracts/add-block.ts";
import { shareHiddenClass } from "../hidden-classes.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const COUNT = 64;

it("the places of blocks", async () => {
  const { read } = BlockIndex.prototype;
  let contents!: IndexContents;
  const spy = vi.spyOn(BlockIndex.prototype, "read").mockImplementation(async function (this: BlockIndex) {
    contents = await read.call(this);
    return contents;
  });
  onTestFinished(() => spy.mockRestore());
  const onError = (error: unknown) => expect.unreachable(String(error));
  const store = await openFsBlockStore({ root: await temporaryFolder(), maxBytes: 2 ** 30, onError });
  onTestFinished(() => store.close());
  for (let i = 0; i < COUNT; i++) await addBlock(store, new Uint8Array(100).fill(i), RAW);
  expect(contents.places.size).toBe(COUNT);
  expect(shareHiddenClass([...contents.places.values()])).toBe(true);
});

it("the records of a folder's transfers", () => {
  expect(shareHiddenClass(folderRecords())).toBe(true);
});

it("the entries of a list of transfers", async () => {
  const { call, fake } = openInProcess();
  const transfers = folderRecords().map((record) => detailOf(record, undefined, record.startedAtMs));
  vi.spyOn(fake.node, "transfers").mockReturnValue(transfers);
  const stringify = vi.spyOn(JSON, "stringify");
  onTestFinished(() => stringify.mockRestore());
  await call("/api/v1/transfers");
  const [list] = stringify.mock.calls.map(([value]) => value).filter((value) => value?.total === COUNT);
  expect(shareHiddenClass(list.transfers)).toBe(true);
});

function folderRecords() {
  return Array.from({ length: COUNT }, (_, i) => {
    const known = { fileId: `file ${i}`, name: `${i}.jpg`, outputPath: `/f/${i}.jpg` };
    const request = { partOf: "list", saidBytes: 8_000 + i };
    return recordOf(request, { ...known, isRepair: false, startedAtMs: 1_700_000_000_000 + i });
  });
}
