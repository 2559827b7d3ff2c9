/** What IndexedDB's errors on writing mean, where no test can use a disk up. */
import { describe, expect, it } from "vitest";
import { storageError } from "../../../src/browser/storage/idb-errors.ts";

describe("an error of writing to IndexedDB", () => {
  it.each([
    ["QuotaExceededError", "Encountered full disk while opening backing store"],
    // Chromium's, with a profile on a disk of which nothing was left.
    ["DataError", "Failed to write blobs (IOError)"],
  ])("is a full medium, with what helps, where it is a %s", (name, message) => {
    const cause = new DOMException(message, name);
    expect(storageError(cause)).toMatchObject({
      name: "storage_full",
      message: expect.stringMatching(/^The browser gives this site no more room\. Delete files/),
      cause,
    });
  });

  it("is itself where it is another", () => {
    const other = new DOMException("The connection is closing", "InvalidStateError");
    expect(storageError(other)).toBe(other);
  });
});
