/** What a node spends on a message of gossip that several peers bring. */
import crypto from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { HostilePeer } from "./hostile-peer.ts";
import { someFile } from "./some-file.ts";
import { join, until } from "./swarm-of-nodes.ts";

/** What gossipsub's types don't tell: how it sends to a peer. */
interface Sender {
  sendRpc(to: string, rpc: object): boolean;
}

it("the signature of a message is checked once, however often it comes", async () => {
  const here = await join();
  const peer = await HostilePeer.join(here);
  const checks = vi.spyOn(crypto, "verify");
  onTestFinished(() => checks.mockRestore());
  const gossip = peer.node.services.gossip as unknown as Sender;
  const send = gossip.sendRpc.bind(gossip);
  const sent: (() => void)[] = [];
  gossip.sendRpc = (...message) => {
    sent.push(() => send(...message));
    return send(...message);
  };
  const tell = async (seq: number, name: string) => {
    await peer.say({ kind: "add", epoch: 1, seq, revision: seq - 1, files: [someFile(name)] });
    await until(here.swarm, () => here.swarm.offers().some((offer) => offer.name === name));
  };
  await peer.say({ kind: "hello", epoch: 1, seq: 1, revision: 0, addresses: [] });
  await tell(2, "in many copies");
  for (const again of [...sent, ...sent]) again();
  await tell(3, "after them");
  const ofIt = checks.mock.calls.filter(([, data]) =>
    Buffer.from(data as Uint8Array).includes("in many copies"),
  );
  expect(ofIt).toHaveLength(1);
});
