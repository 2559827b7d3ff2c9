/** Blobs that a browser can't read, now or any more. */
import { expect, it } from "vitest";
import { storedBytes } from "../../../src/browser/blocks/blob-bytes.ts";
import { UNREADABLE_PAUSE_MS } from "../../../src/browser/limits.ts";
import { HandClock } from "../hand-clock.ts";

const bytes = new Uint8Array([1, 2, 3]);

/** What stands in a database that fails with the error for a while: the bytes as they are read, and how often that was tried. */
function failing(name: string, forMs = Number.POSITIVE_INFINITY) {
  const clock = new HandClock(1);
  const startMs = clock.monotonic();
  let tries = 0;
  const arrayBuffer = async () => {
    tries += 1;
    if (clock.monotonic() < startMs + forMs) throw new DOMException("it can't be read", name);
    return bytes.buffer;
  };
  const reading = storedBytes(async () => Object.assign(new Blob([]), { arrayBuffer }), clock);
  return { clock, reading, tries: () => tries };
}

it("one that can be read again in a moment is not lost", async () => {
  const { clock, reading } = failing("NotReadableError", UNREADABLE_PAUSE_MS);
  await clock.pass(UNREADABLE_PAUSE_MS);
  expect(await reading).toEqual(bytes);
});

it("one that can't is unreadable", async () => {
  const { clock, reading, tries } = failing("NotReadableError");
  await clock.pass(UNREADABLE_PAUSE_MS);
  expect([await reading, tries()]).toEqual(["unreadable", 3]);
});

it("one that the browser does not have any more is gone at once", async () => {
  const { reading, tries } = failing("NotFoundError");
  expect([await reading, tries()]).toEqual(["gone", 1]);
});

it("other failures tell nothing of it", async () => {
  await expect(failing("AbortError").reading).rejects.toThrow("it can't be read");
});
