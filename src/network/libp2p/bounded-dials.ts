/**
 * Has each dial end in its time, and when its caller gives up: libp2p takes the signal of a caller in place of its own limit, and
 * one that says nothing for hours, as the network's own, let sixteen silent addresses take two minutes. Put in by libp2p-node.
 */
import type { Libp2p } from "@libp2p/interface";
import { DIAL_TIMEOUT_MS } from "../limits.ts";

export function boundDials(node: Pick<Libp2p, "dial">): void {
  const dial = node.dial.bind(node);
  node.dial = (peer, { signal, ...options } = {}) => {
    const limit = AbortSignal.timeout(DIAL_TIMEOUT_MS);
    return dial(peer, {
      ...options,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
  };
}
