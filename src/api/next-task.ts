/** Lets others of this thread have their turn in the middle of long work. Called by whatever goes through much in one go. */

/** Settles in a task of its own. No timer: those of a hidden page wait for a second. */
export function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
