/**
 * Writes records of 4 kB until it is killed, telling the number of each once it is stored, and of each refusal.
 * Every put of `counter` comes in one batch with a put of `twin`. Started by level-records.test.ts; argument:
 * the records' folder.
 */
import { openLevelRecords } from "../../../src/headless/level/level-records.ts";

const [folder = ""] = process.argv.slice(2);
const records = await openLevelRecords(folder);
const padding = "x".repeat(4000);

for (let n = 0; ; n++) {
  try {
    await records.batch([
      { type: "put", collection: "files", key: String(n % 500), value: { n, padding } },
      { type: "put", collection: "settings", key: "counter", value: n },
      { type: "put", collection: "settings", key: "twin", value: n },
    ]);
    process.stdout.write(`stored ${n}\n`);
  } catch (error) {
    process.stdout.write(`refused ${n} ${error instanceof Error ? error.name : error}\n`);
  }
}
