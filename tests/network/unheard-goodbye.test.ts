/** A connection that is ended while its line is closing already, and can't be told: src/network/libp2p/unheard-goodbye. */
import "../../src/headless/node20-shims.ts";
import { expect, it } from "vitest";
import { startBareNode } from "./bare-node.ts";

it("ends a connection whose line takes nothing any more", async () => {
  const [asking, asked] = [await startBareNode(), await startBareNode(["/ip4/127.0.0.1/tcp/0"])];
  const connection = await asking.dial(asked.getMultiaddrs());
  const { maConn } = connection as unknown as { maConn: { close(): Promise<void> } };
  const closed = maConn.close();
  connection.abort(new Error("no answer"));
  await closed;
  expect(asking.getConnections()).toEqual([]);
});
