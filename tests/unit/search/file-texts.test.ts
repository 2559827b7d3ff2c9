/** What the texts of files remember of those that could not be read: src/search/file-texts. */
import { expect, it } from "vitest";
import type { Courtesy } from "../../../src/search/courtesy.ts";
import { FileTexts } from "../../../src/search/file-texts.ts";
import type { SearchPorts } from "../../../src/search/ports.ts";
import type { TextReader } from "../../../src/search/texts/text-reader.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { localFile } from "./local-file.ts";

it("remembers that a file could not be read for no longer than the file is known", async () => {
  const node = {
    // biome-ignore lint/correctness/useYield: it has nothing to give.
    async *read(): AsyncGenerator<Uint8Array> {
      throw new SharingError("file_not_found", "File not found");
    },
  };
  const courtesy = { piece: (_signal: AbortSignal, work: () => Promise<unknown>) => work() };
  const texts = new FileTexts({
    node: node as unknown as SearchPorts["node"],
    log: { debug() {}, info() {}, warn() {} },
    texts: {} as TextReader,
    courtesy: courtesy as unknown as Courtesy,
  });
  const file = { ...localFile("minutes"), name: "minutes.txt" };
  await texts.read(file, new AbortController().signal);
  expect(texts.isReadable(file)).toBe(false);
  texts.forget(file.fileId);
  expect(texts.isReadable(file)).toBe(true);
});
