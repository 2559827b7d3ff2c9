/** The REST app on a fake node in this process, for the suites of this folder. */
import { type ApiApp, createApp } from "../../src/api/app.ts";
import type { ApiClient, ApiPorts } from "../../src/api/ports.ts";
import { type FileSearch, openFileSearch } from "../../src/search/file-search.ts";
import type { MeaningPorts } from "../../src/search/ports.ts";
import type { Log, Swarm } from "../../src/sharing/ports.ts";
import type { SharingNode } from "../../src/sharing/sharing-node.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";
import { createFakeNode, type FakeNode } from "./fake-node.ts";

export const KEY = "shoal_key-of-the-tests";
export const BASE_URL = "http://127.0.0.1:8081";
export const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {} };

export interface InProcess {
  app: ApiApp;
  fake: FakeNode;
  search: FileSearch;
  /** Sends to the app with its key and Host, unless the headers given say otherwise. */
  call(path: string, init?: RequestInit, client?: ApiClient): Promise<Response>;
}

/** With `meaning` files are indexed, until `search` is closed. Another node than the fake one brings its own search. */
export function openInProcess({
  meaning,
  ...ports
}: Partial<ApiPorts> & { meaning?: MeaningPorts } = {}): InProcess {
  const clock = ports.clock ?? systemClock;
  const fake = createFakeNode(clock);
  const swarm = { subscribe: fake.subscribe, describe: () => undefined };
  const search = openFileSearch({ node: fake.node, swarm, clock, log: SILENT, ...(meaning && { meaning }) });
  const app = createApp({
    node: fake.node,
    ...(!("node" in ports) && { search }),
    clock,
    version: "0.1.0",
    keys: { verify: async (key) => key === KEY },
    access: { hostNames: [], corsOrigins: [] },
    limits: { requestsPerMinute: 0, maxBodyBytes: 64 * 1024 * 1024 },
    log: SILENT,
    ...ports,
  });
  return {
    app,
    fake,
    search,
    call(path, init = {}, client = { address: "127.0.0.1" }) {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${KEY}`);
      if (!headers.has("host")) headers.set("host", new URL(BASE_URL).host);
      return app.fetch(new Request(BASE_URL + path, { ...init, headers }), client);
    },
  };
}

/** Search as on a host without a model. */
export function nameSearch(
  node: SharingNode,
  subscribe: Swarm["subscribe"],
  clock = systemClock,
): FileSearch {
  return openFileSearch({ node, swarm: { subscribe, describe: () => undefined }, clock, log: SILENT });
}
