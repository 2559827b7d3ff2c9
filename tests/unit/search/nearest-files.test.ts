/** Files by filters where more match than a query of vx gives, and by the vectors of another file: src/search/nearest-files. */
import { expect, it } from "vitest";
import { Vx } from "../../../src/headless/vx.ts";
import { metadataOf, recordId } from "../../../src/search/file-records.ts";
import { FileVectors } from "../../../src/search/file-vectors.ts";
import { NearestFiles } from "../../../src/search/nearest-files.ts";
import { NO_WORDS } from "../../../src/search/text-words.ts";
import { MAX_QUERY_ROWS } from "../../../src/vx/metadata/limits.ts";
import { localFile } from "./local-file.ts";

it("finds all files that a filter is true for", async () => {
  const vx = new Vx({ dimension: 2, backupInterval: 0 });
  const count = MAX_QUERY_ROWS + 1;
  const ids = Array.from({ length: count }, (_, at) => recordId(at + 1, 0));
  const vectors = new Float32Array(2);
  const metadata = ids.map((id) =>
    metadataOf(
      {
        file: localFile(`file ${id}`),
        source: "content",
        excerpt: "",
        words: NO_WORDS,
        passages: [""],
        vectors,
      },
      0,
    ),
  );
  await vx.batchAdd(
    ids,
    ids.map((id) => [id, 1]),
    metadata,
  );
  const nearest = new NearestFiles(vx, await FileVectors.load(vx, new AbortController().signal));

  expect((await nearest.allMatching("size = 1", "local")).size).toBe(count);
  const some = [...metadata.map(({ file_id }) => String(file_id)), "unheard of"];
  expect((await nearest.matching("size = 1", some)).size).toBe(count);
  await vx.close();
});

it("finds nothing by a filter where no file has vectors yet", async () => {
  const vx = new Vx({ dimension: 2, backupInterval: 0 });
  const nearest = new NearestFiles(vx, await FileVectors.load(vx, new AbortController().signal));

  expect(await nearest.allMatching("size = 1", "local")).toEqual(new Set());
  expect(await nearest.matching("size = 1", ["unheard of"])).toEqual(new Set());
  await vx.close();
});

it("finds what is like a long file, whose vectors are as near to noise together as each of them", async () => {
  const vx = new Vx({ dimension: 2, backupInterval: 0 });
  const { signal } = new AbortController();
  const vectors = await FileVectors.load(vx, signal);
  const put = (fileId: string, ...passages: [number, number][]) =>
    vectors.put([
      {
        file: localFile(fileId),
        source: "content",
        excerpt: fileId,
        words: NO_WORDS,
        passages: passages.map(() => fileId),
        vectors: Float32Array.from(passages.flat()),
      },
    ]);
  await put("long", [1, 0], [0.8, 0.6], [0.8, -0.6], [0.6, 0.8], [0.6, -0.8]);
  await put("near", [0.96, 0.28]);
  await put("far", [-1, 0]);
  const noise = { floor: 0.1, gibberish: Float32Array.of(0.3, 0) };
  const found = await new NearestFiles(vx, vectors).like("long", "all", 10, { noise });
  expect(found?.map(({ fileId }) => fileId)).toEqual(["near"]);
  await vx.close();
});
