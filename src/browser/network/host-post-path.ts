/**
 * Posts blocks to the host that served this page, and to nobody else, for the reason that host-side-path tells. What is sent is
 * the Blob as it is stored, so that its bytes never come into the page. Made by open-exchange, called by the exchange, answered
 * by headless/web/web-app.
 */
import type { PostPath } from "../../exchange/post-path.ts";
import type { IdbBlockStore } from "../blocks/idb-block-store.ts";

/** `hostNodeId`: of the node that serves the page, as /shoal.json tells. */
export function createHostPostPath(
  origin: URL,
  hostNodeId: string | undefined,
  blocks: Pick<IdbBlockStore, "blob">,
): PostPath {
  return {
    leadsTo: (peerId) => peerId === hostNodeId,
    async post({ ticket, requestId, cid, maxBytes }, signal) {
      const body = await blocks.blob(cid);
      if (body === undefined || body.size > maxBytes) return undefined;
      const { ok, status } = await fetch(new URL(`/exchange/${ticket}/${requestId}`, origin), {
        method: "POST",
        body,
        cache: "no-store",
        redirect: "error",
        signal,
      });
      if (!ok) throw new Error(`the host answered ${status}`);
      return body.size;
    },
  };
}
