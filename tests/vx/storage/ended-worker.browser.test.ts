/** A worker that writes to an index is ended at random moments, and what it was told is stored is there. */
import * as Comlink from "comlink";
import { expect, test } from "vitest";
import type { IndexMedium } from "../../../src/browser/index/index-disk.ts";
import type { RestlessService } from "../../browser/vx-restless.worker.ts";
import { Outcomes } from "../../interop/index-outcomes.ts";

/** How often, and the medium that most browsers use more often than the other. */
const media: [medium: IndexMedium, ends: number][] = [
  ["opfs", 8],
  ["idb", 4],
];
/** Then a new folder, so that checking stays quick. */
const ENDS_A_FOLDER = 4;
/** What is waited for before the lines are counted, in turns: each moment of a writer's life gets its ends. */
const PHASES = ["opened", "snapshot", "backup"];
const MAX_LINES_BEFORE_END = 200;
const MAX_DELAY_MS = 30;

function start() {
  const worker = new Worker(new URL("../../browser/vx-restless.worker.ts", import.meta.url), {
    type: "module",
  });
  return { worker, service: Comlink.wrap<RestlessService>(worker) };
}

/** Lines that a worker wrote until it was ended, some time after a line that is the phase. */
async function writeUntilEnded(
  medium: IndexMedium,
  path: string,
  { first, phase }: { first: number; phase: string | undefined },
): Promise<string[]> {
  const { worker, service } = start();
  const { port1, port2 } = new MessageChannel();
  const lines: string[] = [];
  let linesBeforeEnd = 1 + Math.floor(Math.random() * MAX_LINES_BEFORE_END);
  const failed = new Promise<never>((_, reject) => {
    worker.addEventListener("error", ({ message }) => reject(new Error(message)));
    service.write(medium, path, first, Comlink.transfer(port2, [port2])).catch(reject);
  });
  const ended = new Promise<void>((resolve) => {
    port1.onmessage = ({ data }) => {
      lines.push(data);
      if (!lines.includes(phase ?? "") || --linesBeforeEnd !== 0) return;
      setTimeout(() => {
        worker.terminate();
        resolve();
      }, Math.random() * MAX_DELAY_MS);
    };
  });
  await Promise.race([ended, failed]);
  return lines;
}

test.each(media)(
  "on %s, a worker ended %i times at random moments loses nothing that it acknowledged",
  { timeout: 240_000 },
  async (medium, ends) => {
    const reader = start();
    const seen = new Set<string>();
    let stored = 0;
    let path = "";
    let outcomes = new Outcomes();
    for (let end = 0; end < ends; end++) {
      if (end % ENDS_A_FOLDER === 0) {
        path = `ended/${crypto.randomUUID()}`;
        outcomes = new Outcomes();
      }
      const lines = await writeUntilEnded(medium, path, {
        first: (Math.floor(outcomes.last / 4) + 25) * 4,
        phase: PHASES[end % PHASES.length],
      });
      for (const line of lines) {
        const [what = "", number] = line.split(" ");
        seen.add(what);
        if (what === "stored" || what === "refused") outcomes.tell(what, Number(number));
        if (what === "stored") stored++;
      }
      const content = await reader.service.read(medium, path);
      outcomes.check({ content: () => content });
    }
    reader.worker.terminate();
    expect(stored).toBeGreaterThan(ends);
    expect([...seen].sort()).toEqual(["backup", "opened", "snapshot", "stored"]);
  },
);
