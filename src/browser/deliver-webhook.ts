/**
 * Sends webhooks from a page: a cross-origin request, so the receiver must allow it by CORS. Handed to the webhooks by
 * start-node. Names can't be resolved here; what is private by its name is refused when the webhook is set.
 */
import type { DeliverWebhook } from "../api/webhooks/queue.ts";
import { isPrivateTarget } from "../api/webhooks/target.ts";

export const deliverWebhook: DeliverWebhook = async (url, init, { signal, allowPrivate }) => {
  if (!allowPrivate && isPrivateTarget(new URL(url))) throw new Error("the webhook's target is private");
  return fetch(url, {
    method: init.method,
    headers: init.headers,
    body: init.body,
    signal,
    mode: "cors",
    // The answer to a redirect is opaque, with a status of 0, which counts as a failure.
    redirect: "manual",
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  });
};
