/**
 * /shoal.json of the host that served the page, as it stands there. Read by host-network, and by main, which does without the
 * node's code that checks addresses.
 */
import type { Log } from "../../sharing/ports.ts";
import { HOST_NETWORK_TIMEOUT_MS, MAX_HOST_NETWORK_CHARS } from "../limits.ts";

/** Undefined where the host has none. @throws where it does not answer, or with anything else */
export async function readShoalJson(origin: URL, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(new URL("/shoal.json", origin), { cache: "no-store", signal });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`the host answered ${response.status}`);
  const text = await response.text();
  if (text.length > MAX_HOST_NETWORK_CHARS) throw new Error("the answer is too long");
  return JSON.parse(text);
}

/** Of the node of the host; undefined where it does not tell now. */
export async function hostNodeId(origin: URL, log: Log): Promise<string | undefined> {
  try {
    const told = await readShoalJson(origin, AbortSignal.timeout(HOST_NETWORK_TIMEOUT_MS));
    const nodeId = (told as { node_id?: unknown } | null | undefined)?.node_id;
    return typeof nodeId === "string" ? nodeId : undefined;
  } catch (error) {
    log.info("the host of the page did not tell its id", { error });
    return undefined;
  }
}
