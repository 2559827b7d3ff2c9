/** Asking an author for its catalogue, stream by stream. */
import { streamPair } from "@libp2p/utils";
import { expect, it } from "vitest";
import "../../../src/headless/node20-shims.ts";
import { askCatalogue, serveCatalogue } from "../../../src/network/announcing/catalogue-protocol.ts";
import { someFile } from "../../network/some-file.ts";

it.each([
  ["of the same swarm", "test"],
  ["of another swarm", "other"],
])("closes the stream to a node %s", async (_whose, swarm) => {
  const [ours, theirs] = await streamPair();
  const catalogue = { epoch: 1, seq: 1, revision: 1, files: [someFile("one")], addresses: [] };
  const served = serveCatalogue(
    theirs,
    swarm,
    () => catalogue,
    async () => {},
  );
  const asked = await askCatalogue(ours, "test", new AbortController().signal);
  await served;
  expect(asked).toEqual(swarm === "test" ? catalogue : undefined);
  expect([ours.writeStatus, theirs.writeStatus]).toEqual(["closed", "closed"]);
});
