/** The graph's end of the gate, for read-gate.test: makes changes of many words until it is told to end. */
import { workerData } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const { ReadGate } = await import("../../../src/vx/hnsw/read-gate.ts");
const gate = new ReadGate(workerData, 0);
const [over, words] = [new Int32Array(workerData, 8, 1), new Int32Array(workerData, 64, 200)];
for (let change = 1; Atomics.load(over, 0) === 0; change++) {
  gate.close();
  words.fill(change);
  gate.open();
}
