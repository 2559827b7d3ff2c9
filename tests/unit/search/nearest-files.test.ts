/** Filters over the index of files where more match than a query of vx gives: src/search/nearest-files. */
import { expect, it } from "vitest";
import { Vx } from "../../../src/headless/vx.ts";
import { metadataOf, recordId } from "../../../src/search/file-records.ts";
import { FileVectors } from "../../../src/search/file-vectors.ts";
import { NearestFiles } from "../../../src/search/nearest-files.ts";
import { MAX_QUERY_ROWS } from "../../../src/vx/sql/limits.ts";

it("finds all files that a filter is true for", async () => {
  const vx = new Vx({ dimension: 2, backupInterval: 0 });
  const count = MAX_QUERY_ROWS + 1;
  const ids = Array.from({ length: count }, (_, at) => recordId(at + 1, 0));
  const file = {
    name: "a.txt",
    sizeBytes: 1,
    isComplete: true,
    isLocal: true,
    holders: [],
    offeredExcerpt: "",
  };
  const vectors = new Float32Array(2);
  const metadata = ids.map((id) =>
    metadataOf(
      {
        file: { ...file, fileId: `file ${id}`, createdAt: undefined },
        source: "content",
        excerpt: "",
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
