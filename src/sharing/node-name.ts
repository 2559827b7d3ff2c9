/** What people call a node. Called by whoever takes such a name from a person or from a peer. */
import { MAX_NODE_NAME_CHARS } from "./limits.ts";

/** No controls and no formatting but for the two joiners, which scripts and emoji need. */
export const NODE_NAME = /^(?:[\u200c\u200d]|[^\p{Cc}\p{Cf}])*$/u;

export function isNodeName(text: string): boolean {
  return text.length <= MAX_NODE_NAME_CHARS && NODE_NAME.test(text);
}
