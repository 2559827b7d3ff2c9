/** A node with its exchange and a real web port, for as long as a test runs. Used by the tests of what peers bring tickets to. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import { OfferedSides } from "../../../src/exchange/serving/offered-sides.ts";
import { type HttpServer, openHttpServer } from "../../../src/headless/http/server.ts";
import { openPageFiles } from "../../../src/headless/web/page-files.ts";
import { createWebApp } from "../../../src/headless/web/web-app.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type Block, type LoopbackNode, sourceOf } from "../exchange/loopback.ts";
import { testNode } from "../exchange/test-node.ts";

/** A node that serves blocks, and its web port. */
export async function webHost(blocks: Block[]): Promise<{ node: LoopbackNode; web: HttpServer }> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "index.html"), "<p>page</p>");
  const sides = new OfferedSides(systemClock);
  const posts = new ExpectedPosts();
  const node = await testNode({ sides, posts });
  node.exchange.serve(sourceOf(blocks));
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const web = await openHttpServer({
    app: createWebApp({
      files: await openPageFiles(folder),
      node: {
        swarm: "main",
        nodeId: node.peerId,
        addresses: () => [],
        isRelay: false,
        iceServers: [],
        stun: undefined,
        hasSearch: false,
      },
      sides,
      posts,
      hostNames: [],
      log,
    }),
    host: "127.0.0.1",
    port: 0,
    trustedProxies: [],
    log,
  });
  onTestFinished(() => web.stop());
  return { node, web };
}
