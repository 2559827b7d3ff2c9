/**
 * What the host that served the page tells of the swarm: /shoal.json, made by headless/web/shoal-json. A host that only serves
 * files has none; a page without its host uses what was told last. Read by open-media, later by start-node; calls shoal-json.
 */
import { isAddress } from "../../network/connecting/given-address.ts";
import { withoutBrackets } from "../../sharing/ip-address.ts";
import type { Clock, Log, Records } from "../../sharing/ports.ts";
import {
  ASK_HOST_AGAIN_MS,
  FIRST_HOST_NETWORK_TIMEOUT_MS,
  HOST_NETWORK_TIMEOUT_MS,
  MAX_ASK_HOST_AGAIN_MS,
  MAX_HOST_ADDRESSES,
} from "../limits.ts";
import { readShoalJson } from "./shoal-json.ts";

const KEY = "host-network";

export interface HostNetwork {
  swarm: string | undefined;
  /** Of the host's node; undefined where the host does not say. */
  nodeId?: string | undefined;
  /** Multiaddrs of the host's node, and of others that it names. */
  bootstrap: string[];
  iceServers: string[];
  /** Undefined where the host does not say. */
  hasSearch?: boolean | undefined;
}

/** Of a host that only serves files, or that said nothing yet. */
export const NO_HOST_NETWORK: HostNetwork = { swarm: undefined, bootstrap: [], iceServers: [] };

interface AskingParts {
  records: Promise<Records>;
  log: Log;
}

/**
 * Asks at once, while the records are still being opened, and once more where there is nothing that the host told
 * before. Undefined where it did not answer then either.
 */
export async function readHostNetwork(
  origin: URL,
  { records, log }: AskingParts,
): Promise<HostNetwork | undefined> {
  const read = async (timeoutMs: number) => {
    const network = await ask(origin, AbortSignal.timeout(timeoutMs));
    keep(network, records).catch((error) =>
      log.warn("what the host tells of the swarm was not kept", { error }),
    );
    return network;
  };
  try {
    return await read(HOST_NETWORK_TIMEOUT_MS);
  } catch (error) {
    const last = await (await records).get<HostNetwork>("settings", KEY);
    log.info("the host of the page told nothing of the swarm", {
      error,
      usesWhatItToldLast: last !== undefined,
    });
    if (last !== undefined) return last;
  }
  try {
    // At a first visit: a node that starts without it finds no peer.
    return await read(FIRST_HOST_NETWORK_TIMEOUT_MS);
  } catch (error) {
    log.info("the host of the page told nothing of the swarm again", { error });
    return undefined;
  }
}

/**
 * Asks a host that did not answer at the start, with growing pauses. Settles once it has told, which is then kept for
 * the next start.
 * @throws the signal's reason
 */
export async function askHostLater(
  origin: URL,
  { records, log, clock, signal }: AskingParts & { clock: Pick<Clock, "sleep">; signal: AbortSignal },
): Promise<void> {
  for (let pauseMs = ASK_HOST_AGAIN_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_ASK_HOST_AGAIN_MS)) {
    await clock.sleep(pauseMs, signal);
    try {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(FIRST_HOST_NETWORK_TIMEOUT_MS)]);
      const network = await ask(origin, inTime);
      return await keep(network, records);
    } catch (error) {
      signal.throwIfAborted();
      log.debug("the host of the page still tells nothing of the swarm", { error });
    }
  }
}

/** That a host tells nothing is not kept: it may tell tomorrow. */
async function keep(network: HostNetwork, records: Promise<Records>): Promise<void> {
  if (network !== NO_HOST_NETWORK) await (await records).put("settings", KEY, network);
}

async function ask(origin: URL, signal: AbortSignal): Promise<HostNetwork> {
  const told = await readShoalJson(origin, signal);
  return told === undefined ? NO_HOST_NETWORK : parseHostNetwork(told, origin);
}

/** Takes what is well-formed and leaves out the rest: the host may be of another version. */
export function parseHostNetwork(json: unknown, origin: URL): HostNetwork {
  const told = typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
  const addresses = [...texts(told.bootstrap), ...texts(told.relays)].filter(isAddress);
  const nodeId = typeof told.node_id === "string" ? told.node_id : undefined;
  const own = nodeId && webPortAddress(origin, nodeId);
  return {
    swarm: typeof told.swarm === "string" ? told.swarm : undefined,
    nodeId: own && nodeId,
    bootstrap: [...new Set([...addresses, ...(own ? [own] : [])])].slice(0, MAX_HOST_ADDRESSES),
    iceServers: list(told.ice_servers).flatMap((server) =>
      texts([(server as { urls?: unknown } | null)?.urls]).filter((url) => /^(stuns?|turns?):./.test(url)),
    ),
    hasSearch: typeof told.search === "boolean" ? told.search : undefined,
  };
}

/** The page's own port takes WebSockets of the swarm, so a page that could be loaded can be connected. */
function webPortAddress(origin: URL, nodeId: string): string | undefined {
  const host = withoutBrackets(origin.hostname);
  const kind = /^[0-9.]+$/.test(host) ? "ip4" : host.includes(":") ? "ip6" : "dns4";
  const isSecure = origin.protocol === "https:";
  const port = origin.port === "" ? (isSecure ? "443" : "80") : origin.port;
  const address = `/${kind}/${host}/tcp/${port}${isSecure ? "/tls" : ""}/ws/p2p/${nodeId}`;
  return isAddress(address) ? address : undefined;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: unknown): string[] {
  return list(value).filter((item) => typeof item === "string");
}
