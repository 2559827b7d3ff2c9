/** A transfer as it is shown: src/sharing/transfers/transfer-record. */
import { expect, it } from "vitest";
import { detailOf } from "../../../src/sharing/transfers/transfer-record.ts";
import { recordOf } from "../../../src/sharing/transfers/transfer-request.ts";

it("is estimated once some of the file is here: what tells of its chunks comes first, and is few bytes", () => {
  const known = { fileId: "f", name: "film.mp4", outputPath: undefined, isRepair: false, startedAtMs: 0 };
  const record = { ...recordOf({}, known), sizeBytes: 30_000_000 };
  const live = (bytesPerSecond: number) => ({ bytesPerSecond, speeds: new Map(), isWaiting: false });
  expect(detailOf(record, live(3_000), 1_000).estimatedCompletion).toBeUndefined();
  const begun = { ...record, progress: 0.5 };
  expect(detailOf(begun, live(1_500_000), 1_000).estimatedCompletion).toEqual(new Date(11_000));
});
