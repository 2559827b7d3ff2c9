/** A helper's thread: links what a graph's first thread stages, round by round. Called by a runtime's entry for such threads. */
import { LAST_ROUND, type LinkJob, REGION_HEAD_BYTES } from "./team.ts";

interface HelperExports {
  join(
    board: number,
    index: number,
    region: number,
    regionBytes: number,
    dimension: number,
    cosine: boolean,
    m: number,
    efConstruction: number,
    quantized: boolean,
  ): number;
  adopt(): void;
  linkStaged(): number;
}

/** Blocks its thread, between rounds too, until the team is ended. */
export function helpLinking(job: LinkJob): void {
  const { module, memory, boardAddress, regionAddress, regionBytes } = job;
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const kernel = instance.exports as unknown as HelperExports;
  const { index, dimension, cosine, m, efConstruction, quantized } = job;
  const region = regionAddress + REGION_HEAD_BYTES;
  const bytes = regionBytes - REGION_HEAD_BYTES;
  if (!kernel.join(boardAddress, index, region, bytes, dimension, cosine, m, efConstruction, quantized)) {
    throw new Error("The region of a helper is too small");
  }
  const round = new Int32Array(memory.buffer, boardAddress, 1);
  const finished = new Int32Array(memory.buffer, regionAddress, 1);
  for (let last = 0; ; ) {
    Atomics.wait(round, 0, last);
    last = Atomics.load(round, 0);
    if (last === LAST_ROUND) return;
    kernel.adopt();
    while (kernel.linkStaged()) {}
    Atomics.store(finished, 0, last);
  }
}
