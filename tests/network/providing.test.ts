import { describe, expect, it } from "vitest";
import { someFile } from "./some-file.ts";
import { close, holdersOf, idOf, join, until, untilConnected } from "./swarm-of-nodes.ts";

describe("providers of a file", () => {
  it("are those announced, complete ones first, then those that come later", async () => {
    const a = await join();
    const file = someFile("wanted");
    const partial = await join({ bootstrap: a.swarm.addresses() });
    const complete = await join({ bootstrap: a.swarm.addresses() });
    partial.swarm.announce({ ...file, complete: false });
    complete.swarm.announce(file);
    await until(a.swarm, () => holdersOf(a, file).length === 2);
    const stop = new AbortController();
    const found: string[] = [];
    const late = await join({ bootstrap: a.swarm.addresses() });
    for await (const peerId of a.swarm.providers(file.fileId, stop.signal)) {
      if (!found.includes(peerId)) found.push(peerId);
      if (found.length === 2) late.swarm.announce(file);
      if (found.length === 3) stop.abort();
    }
    expect(found).toEqual([idOf(complete), idOf(partial), idOf(late)]);
  });

  it("are found by provider records where announcements don't tell of them", async () => {
    const bootstrap = await join();
    const holder = await join({ bootstrap: bootstrap.swarm.addresses() });
    const file = someFile("only in the DHT");
    await untilConnected(bootstrap, holder);
    // A seeker that has banned the author hears none of its announcements, as one in a crowd too large for gossip.
    const seeker = await join({ listen: [] });
    seeker.swarm.ban(idOf(holder), new Date(Date.now() + 60_000));
    await seeker.swarm.connect(bootstrap.swarm.addresses()[0] ?? "", new AbortController().signal);
    holder.swarm.announce(file);
    await until(bootstrap.swarm, () => holdersOf(bootstrap, file).length === 1);
    expect(seeker.swarm.offer(file.fileId)).toBeUndefined();
    seeker.swarm.ban(idOf(holder), new Date(0));
    for await (const peerId of seeker.swarm.providers(file.fileId, AbortSignal.timeout(15_000))) {
      expect(peerId).toBe(idOf(holder));
      await close(holder);
      return;
    }
    throw new Error("no provider found");
  });

  it("end with the signal", async () => {
    const a = await join();
    const found: string[] = [];
    const signal = AbortSignal.timeout(50);
    for await (const peerId of a.swarm.providers(someFile("nowhere").fileId, signal)) found.push(peerId);
    expect(found).toEqual([]);
    expect(signal.aborted).toBe(true);
  });
});
