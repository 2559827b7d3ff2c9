/** Which runs of a file begin before their turn: src/sharing/transfers/runs-of-files. */
import { expect, it, vi } from "vitest";
import { RunLines } from "../../../src/sharing/transfers/run-lines.ts";
import { type Run, RunsOfFiles } from "../../../src/sharing/transfers/runs-of-files.ts";

it("those that wait begin when their file is wanted, each time that it is, and once for all who want it together", async () => {
  const lines = new RunLines();
  lines.hold("folder");
  const runs = new RunsOfFiles();
  const hasten = vi.spyOn(runs, "hasten");
  for (const id of ["first", "second"]) {
    const place = lines.lineUp("folder");
    runs.add({ record: { id, fileId: "file" }, place } as Run);
    hasten.mockClear();
    for (let wish = 0; wish < 2; wish++) runs.hastenSoon("file");
    await place.isItsTurn;
    expect([hasten.mock.calls.length, place.turn.isWaiting]).toEqual([1, false]);
  }
});
