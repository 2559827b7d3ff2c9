/**
 * Either end of the channel between a process and its child, as Comlink asks for one. Used by serving-process and its
 * children.
 */
import type { ChildProcess } from "node:child_process";
import type { Endpoint } from "comlink";

type Listener = (event: { data: unknown }) => void;

/** The end of the child, which ends with its parent. */
export function parentEndpoint(): Endpoint {
  process.once("disconnect", () => process.exit());
  // Ctrl-C goes to the whole group: the node, which may still need the child, ends it with the channel.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  return processEndpoint(process);
}

/** Messages are cloned by Node.js (`serialization: "advanced"`): typed arrays arrive as such, ports can't be sent. */
export function processEndpoint(other: ChildProcess | NodeJS.Process): Endpoint {
  const carriers = new Map<Listener, (data: unknown) => void>();
  return {
    // Nobody is left to read what can't be sent: calls to a child that is gone fail by its end.
    postMessage: (message: Parameters<ChildProcess["send"]>[0]) =>
      void other.send?.(message, undefined, undefined, () => undefined),
    addEventListener(_type: string, listener: Listener) {
      const carry = (data: unknown) => listener({ data });
      carriers.set(listener, carry);
      other.on("message", carry);
    },
    removeEventListener(_type: string, listener: Listener) {
      const carry = carriers.get(listener);
      if (carry !== undefined) other.off("message", carry);
      carriers.delete(listener);
    },
  } as Endpoint;
}
