/** The conformance suite on the app in this process, with a fake node behind it, whose files a small model reads. */
import { WordEmbedder, wordMeaning } from "../unit/search/word-model.ts";
import { type ConformanceHost, describeConformance } from "./conformance.ts";
import { OTHER_ADDRESS } from "./fake-node.ts";
import { BASE_URL, KEY, openInProcess } from "./in-process.ts";
import { memoryIdentity, memorySettings, memoryStorage } from "./memory-host.ts";
import { openVx } from "./open-vx.ts";

describeConformance("the REST API in one process", async (): Promise<ConformanceHost> => {
  const vx = await openVx({ dimension: 4 });
  const { app, fake, search } = openInProcess({
    vx,
    meaning: wordMeaning(new WordEmbedder()),
    settings: memorySettings({
      name: "now",
      swarm: "next_start",
      bootstrap: "next_start",
      ice_servers: "next_start",
      max_storage: "now",
      max_upload: "now",
      max_download: "now",
      auto_resume: "now",
      search: "now",
      excerpts: "now",
      invitations: "now",
      search_model: "now",
    }),
    identity: await memoryIdentity(),
    evictable: memoryStorage(),
  });
  const limited = openInProcess({ limits: { requestsPerMinute: 7, maxBodyBytes: 1024 } });
  const client = { address: "127.0.0.1" };
  return {
    fetch: (request) => app.fetch(request, client),
    baseUrl: BASE_URL,
    apiKey: KEY,
    takesAnyOrigin: true,
    async placeFile(name, bytes) {
      fake.place(`/shared/${name}`, bytes);
      return `/shared/${name}`;
    },
    forbiddenPath: "/etc/passwd",
    offerFile: fake.offer,
    outputPath: (name) => `/downloads/${name}`,
    readOutput: async (path) => fake.outputs.get(path) ?? new Uint8Array(),
    peerAddress: OTHER_ADDRESS,
    limited: { fetch: (request) => limited.app.fetch(request, client), requestsPerMinute: 7 },
    vxDimension: 4,
    indexesFiles: true,
    async close() {
      await search.close();
      await vx.close();
    },
  };
});
