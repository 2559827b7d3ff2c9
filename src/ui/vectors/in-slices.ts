/** Runs long work on the page's own thread in slices, so that it stays responsive. Called by picture. */
import { SLICE_MS } from "./limits.ts";

/** The work gives way at each `yield`; between slices the page draws and answers. @throws the signal's reason */
export async function inSlices<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const end = performance.now() + SLICE_MS;
    while (performance.now() < end) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
    await nextTask();
  }
}

/** Later than what the person does meanwhile; a timer would wait 4 ms each time. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
