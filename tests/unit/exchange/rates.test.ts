/** The upload and download rates between nodes, by a clock that is set by hand. */
import { afterEach, describe, expect, it } from "vitest";
import { deferred } from "../../deferred.ts";
import { HandClock } from "../hand-clock.ts";
import {
  type Block,
  connect,
  KIB,
  type LoopbackNode,
  MIB,
  makeBlocks,
  sourceOf,
  startNode,
  wanted,
} from "./loopback.ts";

const never = new AbortController().signal;
const nodes: LoopbackNode[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function node(options: Parameters<typeof startNode>[0] = {}): Promise<LoopbackNode> {
  const started = await startNode(options);
  nodes.push(started);
  return started;
}

describe("upload rate", () => {
  it("is shared equally by four downloaders, though one asks for far more than the others", async () => {
    const clock = new HandClock();
    const blocks = await makeBlocks(4, MIB);
    const server = await node({ clock, maxUploadBytesPerSecond: 4 * MIB });
    server.exchange.serve(sourceOf(blocks));
    const startedAtMs = clock.monotonic();
    const askers = await Promise.all(
      [16, 2, 2, 3].map(async (appetite) => {
        const asker = await node();
        await connect(asker, server);
        const session = await asker.exchange.openSession(server.peerId, never);
        for (let worker = 0; worker < appetite; worker += 1) void fetchOn(session, blocks);
        return asker;
      }),
    );
    const receivedBytes = ({ exchange }: LoopbackNode) => exchange.traffic().downloadedBytes;
    const total = () => askers.reduce((sum, asker) => sum + receivedBytes(asker), 0);
    while (total() < 8 * MIB) await clock.pass(10);
    const allowedBytes = 4 * MIB * ((clock.monotonic() - startedAtMs) / 1000 + 0.1) + 64 * KIB;
    expect(total()).toBeLessThanOrEqual(allowedBytes);
    const fairBytes = total() / askers.length;
    for (const asker of askers) {
      expect(Math.abs(receivedBytes(asker) - fairBytes) / fairBytes).toBeLessThan(0.1);
    }
  });
});

describe("download rate", () => {
  it("holds requests back until the time for their bytes has come, and shares it among peers", async () => {
    const clock = new HandClock();
    const blocks = await makeBlocks(6, 256 * KIB);
    const asker = await node({ clock, maxDownloadBytesPerSecond: 256 * KIB });
    const reads: string[] = [];
    const servers = await Promise.all(
      ["a", "b"].map(async (name) => {
        const server = await node();
        const source = sourceOf(blocks);
        server.exchange.serve({
          ...source,
          readBlock: (cid, signal) => {
            reads.push(name);
            return source.readBlock(cid, signal);
          },
        });
        await connect(asker, server);
        return server;
      }),
    );
    const fetches = await Promise.all(
      servers.map(async (server) => {
        const session = await asker.exchange.openSession(server.peerId, never);
        return blocks.slice(0, 3).map((block) => session.fetch(wanted(block)));
      }),
    );
    const startedAtMs = clock.monotonic();
    await clock.pass(500);
    expect(reads.length).toBeLessThan(2);
    await passUntilSettled(clock, Promise.all(fetches.flat()));
    expect(clock.monotonic() - startedAtMs).toBeGreaterThanOrEqual(5_000);
    expect(reads.slice(1, 5).sort()).toEqual(["a", "a", "b", "b"]);
    expect(asker.exchange.traffic().downloadedBytes).toBe(6 * 256 * KIB);
  });

  it("gives back what was reserved for blocks that the peer lacks", async () => {
    const clock = new HandClock();
    const [[held], lacked] = (await Promise.all([makeBlocks(1, 50 * KIB), makeBlocks(8, MIB)])) as [
      [Block],
      Block[],
    ];
    const [asker, server] = await Promise.all([node({ clock, maxDownloadBytesPerSecond: MIB }), node()]);
    server.exchange.serve(sourceOf([held]));
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    for (const block of lacked)
      await expect(session.fetch(wanted(block))).rejects.toMatchObject({ name: "block_not_found" });
    await expect(session.fetch(wanted(held))).resolves.toHaveLength(50 * KIB);
  });
});

describe("a download rate whose peer goes", () => {
  it("is free again for others at once", async () => {
    const clock = new HandClock();
    const [[block], [small]] = (await Promise.all([makeBlocks(1, MIB), makeBlocks(1, 50 * KIB)])) as [
      [Block],
      [Block],
    ];
    const [asker, mute, server] = await Promise.all([
      node({ clock, maxDownloadBytesPerSecond: MIB }),
      node(),
      node(),
    ]);
    const asked = deferred();
    mute.exchange.serve({
      ...sourceOf([block]),
      readBlock: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    server.exchange.serve(sourceOf([small]));
    await Promise.all([connect(asker, mute), connect(asker, server)]);
    const [from, other] = await Promise.all([
      asker.exchange.openSession(mute.peerId, never),
      asker.exchange.openSession(server.peerId, never),
    ]);
    const lost = from.fetch(wanted(block)).catch((error: Error) => error.name);
    await asked.promise;
    const fetching = other.fetch(wanted(small));
    mute.exchange.stop();
    expect(await lost).toBe("peer_lost");
    await expect(fetching).resolves.toHaveLength(50 * KIB);
  });
});

describe("another rate", () => {
  it("sends at once what the old one held back, and holds back what the new one does not allow", async () => {
    const clock = new HandClock();
    const blocks = await makeBlocks(2, MIB);
    const [server, asker] = await Promise.all([node({ clock, maxUploadBytesPerSecond: KIB }), node()]);
    server.exchange.serve(sourceOf(blocks));
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    const [first, second] = blocks.map((block) => session.fetch(wanted(block)));
    await clock.pass(1000);
    expect(asker.exchange.traffic().downloadedBytes).toBeLessThan(MIB / 4);
    server.exchange.setRates({});
    await Promise.all([first, second]);

    server.exchange.setRates({ maxUploadBytesPerSecond: 512 * KIB });
    const startedAtMs = clock.monotonic();
    await passUntilSettled(clock, session.fetch(wanted(blocks[0] as Block)));
    expect(clock.monotonic() - startedAtMs).toBeGreaterThan(1500);
  });

  it("is none where it is the same again, as with each change of another setting", async () => {
    const clock = new HandClock();
    const rates = { maxUploadBytesPerSecond: KIB };
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const [server, asker] = await Promise.all([node({ clock, ...rates }), node()]);
    server.exchange.serve(sourceOf([block]));
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    session.fetch(wanted(block)).catch((error) => expect(error.name).toBe("stopped"));
    await clock.pass(1000);
    const before = asker.exchange.traffic().downloadedBytes;
    for (let nth = 0; nth < 100; nth++) {
      server.exchange.setRates(rates);
      await clock.pass(10);
    }
    expect(asker.exchange.traffic().downloadedBytes - before).toBeLessThan(16 * KIB);
  });

  it("does so for what is asked for, too", async () => {
    const clock = new HandClock();
    const blocks = await makeBlocks(2, MIB);
    const [server, asker] = await Promise.all([node(), node({ clock, maxDownloadBytesPerSecond: KIB })]);
    server.exchange.serve(sourceOf(blocks));
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    const fetchBoth = () => blocks.map((block) => session.fetch(wanted(block)));
    const [first, second] = fetchBoth();
    await passUntilSettled(clock, first);
    asker.exchange.setRates({});
    await second;

    asker.exchange.setRates({ maxDownloadBytesPerSecond: 512 * KIB });
    const startedAtMs = clock.monotonic();
    await passUntilSettled(clock, Promise.all(fetchBoth()));
    expect(clock.monotonic() - startedAtMs).toBeGreaterThan(3500);
  });
});

async function passUntilSettled(clock: HandClock, promise: Promise<unknown> | undefined) {
  let isSettled = false;
  const settling = Promise.resolve(promise).finally(() => {
    isSettled = true;
  });
  while (!isSettled) await clock.pass(10);
  await settling;
}

/** Fetches one block after another until the session ends. */
async function fetchOn(
  session: Awaited<ReturnType<LoopbackNode["exchange"]["openSession"]>>,
  blocks: Block[],
) {
  for (let turn = 0; ; turn += 1) {
    try {
      await session.fetch(wanted(blocks[turn % blocks.length] as Block));
    } catch (error) {
      expect(error).toMatchObject({ name: expect.stringMatching(/stopped|peer_lost/) });
      return;
    }
  }
}
