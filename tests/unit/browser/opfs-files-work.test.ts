/** Outputs that an earlier page left unfinished in the origin private file system; the browser's part is played here. */
import { expect, it } from "vitest";
import { OpfsFilesWork } from "../../../src/browser/files/opfs-files-work.ts";

type Root = Parameters<OpfsFilesWork["open"]>[0];

/** Has those files, each with what happens when it is to go. */
function rootWith(files: Record<string, () => void>): Root {
  const folder = {
    getDirectoryHandle: async () => folder,
    async *keys() {
      yield* Object.keys(files);
    },
    removeEntry: async (name: string) => files[name]?.(),
  };
  return folder as unknown as Root;
}

function fails(name: string): () => void {
  return () => {
    throw new DOMException("", name);
  };
}

it("opens where the former tab ends an output of its own at this moment, and removes the others", async () => {
  const removed: string[] = [];
  const files = { ended: fails("NotFoundError"), left: () => void removed.push("left") };
  await new OpfsFilesWork().open(rootWith(files));
  expect(removed).toEqual(["left"]);
});

it("says so where the folder of what is unfinished can't be changed", async () => {
  const opening = new OpfsFilesWork().open(rootWith({ left: fails("InvalidStateError") }));
  await expect(opening).rejects.toMatchObject({ name: "InvalidStateError" });
});
