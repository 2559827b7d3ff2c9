/** Catalogues that are got page by page, while messages come: src/network/announcing/catalogue-sync. */
import type { Stream } from "@libp2p/interface";
import { streamPair } from "@libp2p/utils";
import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import "../../../src/headless/node20-shims.ts";
import type { AnnounceMessage } from "../../../src/network/announcing/announcement.ts";
import { type Catalogue, serveCatalogue } from "../../../src/network/announcing/catalogue-protocol.ts";
import { CatalogueSync } from "../../../src/network/announcing/catalogue-sync.ts";
import { Catalogues } from "../../../src/network/announcing/catalogues.ts";
import {
  MAX_PARALLEL_PULLS,
  MAX_WAITING_PULLS,
  PULL_PATIENCE_MS,
  PULL_PAUSE_MS,
} from "../../../src/network/limits.ts";
import type { Clock } from "../../../src/sharing/ports.ts";
import { eventually } from "../../eventually.ts";
import { someFile } from "../../network/some-file.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";

describe("getting catalogues", () => {
  let changed: () => void;
  let catalogues: Catalogues;
  let opened: string[];
  /** The addresses that each was opened by. */
  let openedBy: Uint8Array[][];
  let answer: (authorId: string, signal: AbortSignal) => Promise<Stream>;
  let meeting: (authorId: string) => Promise<void>;
  let isConnected: (authorId: string) => boolean;
  let sync: CatalogueSync;

  beforeEach(() => {
    changed = () => undefined;
    opened = [];
    meeting = async () => undefined;
    isConnected = () => true;
    openedBy = [];
    open(systemClock);
  });

  function open(clock: Clock): void {
    catalogues = new Catalogues(clock, () => changed());
    sync = new CatalogueSync({
      swarm: "test",
      catalogues,
      hear: (authorId, message, tellerId) => {
        if (catalogues.hear(authorId, message, tellerId) === "behind") sync.want(authorId, "gap");
      },
      clock,
      isConnected: (authorId) => isConnected(authorId),
      untilMet: (authorId) => meeting(authorId),
      openStream: (authorId, addresses, signal) => {
        opened.push(authorId);
        openedBy.push(addresses);
        return answer(authorId, signal);
      },
      mayAsk: (authorId) => authorId !== "banned",
      log: () => undefined,
    });
  }

  const nextChange = () =>
    new Promise<void>((resolve) => {
      changed = resolve;
    });

  async function served(catalogue: Catalogue): Promise<Stream> {
    const [ours, theirs] = await streamPair();
    void serveCatalogue(
      theirs,
      "test",
      () => catalogue,
      async () => {},
    );
    return ours;
  }

  it("takes one of several pages", async () => {
    const files = Array.from({ length: 450 }, (_, i) => someFile(`file ${i}`));
    answer = () => served({ epoch: 1, seq: 1, revision: 5, files, addresses: [] });
    const change = nextChange();
    sync.want("a", "connected");
    await change;
    expect(catalogues.fileCount("a")).toBe(450);
  });

  it("applies messages that came meanwhile after the catalogue", async () => {
    let release: (stream: Stream) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    sync.want("a", "connected");
    const news: AnnounceMessage = { kind: "add", epoch: 1, seq: 3, revision: 2, files: [someFile("new")] };
    expect(sync.hold("a", news, "a")).toBe(true);
    release(await served({ epoch: 1, seq: 2, revision: 1, files: [someFile("old")], addresses: [] }));
    await new Promise<void>((resolve) => {
      changed = () => {
        if (catalogues.fileCount("a") === 2) resolve();
      };
    });
    expect(catalogues.position("a")?.revision).toBe(2);
  });

  it("asks few authors at once, each once, and none that is banned", () => {
    answer = () => new Promise(() => undefined);
    for (let i = 0; i < 50; i++) {
      sync.want(`author ${i}`, "connected");
      sync.want(`author ${i}`, "connected");
    }
    sync.want("banned", "connected");
    expect(opened.length).toBeLessThanOrEqual(MAX_PARALLEL_PULLS);
    expect(new Set(opened).size).toBe(opened.length);
    expect(opened).not.toContain("banned");
  });

  it("asks who is connected, or connects, at once, however many others are dialled in vain", async () => {
    const connected = new Set(["friend"]);
    isConnected = (authorId) => connected.has(authorId);
    const sound = () => served({ epoch: 1, seq: 1, revision: 1, files: [someFile("one")], addresses: [] });
    answer = (authorId) => (/^stranger/.test(authorId) ? new Promise(() => undefined) : sound());
    for (let i = 0; i < MAX_PARALLEL_PULLS; i++) sync.want(`stranger ${i}`, "lost");
    sync.want("newcomer", "gap");
    for (let i = 0; i < MAX_WAITING_PULLS; i++) sync.want(`stranger of many ${i}`, "lost");
    sync.want("friend", "gap");
    connected.add("newcomer");
    sync.want("newcomer", "connected");
    await eventually(() =>
      expect(["friend", "newcomer"].map((id) => catalogues.fileCount(id))).toEqual([1, 1]),
    );
    expect(opened.filter((authorId) => /^stranger/.test(authorId))).toHaveLength(MAX_PARALLEL_PULLS);
  });

  it("asks a newcomer though all turns are of peers that say nothing, and those again after it", async () => {
    const clock = new HandClock();
    open(clock);
    answer = (authorId, signal) =>
      authorId === "newcomer"
        ? served({ epoch: 1, seq: 1, revision: 1, files: [someFile("one")], addresses: [] })
        : untilAborted(signal);
    for (let i = 0; i < MAX_PARALLEL_PULLS; i++) sync.want(`silent ${i}`, "connected");
    sync.want("newcomer", "connected");
    await clock.pass(PULL_PATIENCE_MS);
    await eventually(() => expect(catalogues.fileCount("newcomer")).toBe(1));
    await eventually(() => expect(opened.slice(MAX_PARALLEL_PULLS)).toEqual(["newcomer", "silent 0"]));
    sync.stop();
  });

  it("asks one that came back while it was dialled where it no longer is", async () => {
    catalogues.replace("a", { epoch: 1, seq: 1, revision: 1 }, [someFile("one")], []);
    let refuse: (error: Error) => void = () => undefined;
    answer = () =>
      new Promise((_, reject) => {
        refuse = reject;
      });
    sync.want("a", "lost");
    sync.want("a", "connected");
    answer = () => served({ epoch: 1, seq: 2, revision: 2, files: [someFile("two")], addresses: [] });
    const change = nextChange();
    refuse(new Error("nobody there"));
    await change;
    expect([catalogues.knows("a"), catalogues.position("a")?.revision]).toEqual([true, 2]);
    expect(opened).toEqual(["a", "a"]);
  });

  it("asks one just connected again when its answer breaks off", async () => {
    const clock = new HandClock();
    open(clock);
    const broken = () => Promise.reject(new Error("the connection was closed for the other one"));
    const sound = () => served({ epoch: 1, seq: 1, revision: 1, files: [someFile("one")], addresses: [] });
    answer = () => (opened.length === 1 ? broken() : sound());
    const change = nextChange();
    sync.want("a", "connected");
    await clock.pass(PULL_PAUSE_MS * 2);
    await change;
    expect([catalogues.fileCount("a"), opened]).toEqual([1, ["a", "a"]]);
  });

  it("asks one again that connected while it was asked, when its answer breaks off", async () => {
    const clock = new HandClock();
    open(clock);
    answer = async () => {
      if (opened.length > 1) return await untilAborted(new AbortController().signal);
      sync.want("a", "connected");
      throw new Error("the connection was closed for the other one");
    };
    sync.want("a", "newcomer");
    await clock.pass(PULL_PAUSE_MS * 2);
    expect(opened).toEqual(["a", "a"]);
  });

  it("asks one again by the addresses that it told while it was dialled in vain", async () => {
    const clock = new HandClock();
    open(clock);
    let refuse: (error: Error) => void = () => undefined;
    answer = () =>
      new Promise((_, reject) => {
        refuse = reject;
      });
    sync.want("a", "connected");
    const address = Uint8Array.of(4, 192, 0, 2, 1);
    expect(sync.hold("a", { kind: "alive", epoch: 1, seq: 1, revision: 1, addresses: [address] }, "a")).toBe(
      true,
    );
    answer = () => served({ epoch: 1, seq: 1, revision: 1, files: [someFile("one")], addresses: [] });
    const change = nextChange();
    refuse(new Error("no address"));
    await clock.pass(PULL_PAUSE_MS * 2);
    await change;
    expect(catalogues.fileCount("a")).toBe(1);
    expect(openedBy).toEqual([[], [address]]);
  });

  it("holds nothing of an author that is not asked", () => {
    expect(sync.hold("a", { kind: "alive", epoch: 1, seq: 1, revision: 1, addresses: [] }, "a")).toBe(false);
    expect(opened).toEqual([]);
  });

  it("forgets one that is lost while it is asked, whatever others still tell of it", async () => {
    catalogues.replace("a", { epoch: 1, seq: 1, revision: 1 }, [someFile("one")], []);
    let refuse: (error: Error) => void = () => undefined;
    answer = () =>
      new Promise((_, reject) => {
        refuse = reject;
      });
    sync.want("a", "connected");
    sync.want("a", "lost");
    sync.want("a", "gap");
    const change = nextChange();
    refuse(new Error("connection refused"));
    await change;
    expect(catalogues.knows("a")).toBe(false);
    sync.stop();
  });

  it("forgets a lost author that can't be reached", async () => {
    catalogues.replace("a", { epoch: 1, seq: 1, revision: 1 }, [someFile("one")], []);
    answer = () => Promise.reject(new Error("connection refused"));
    const change = nextChange();
    sync.want("a", "lost");
    await change;
    expect(catalogues.knows("a")).toBe(false);
  });

  it("leaves it to a newcomer to dial, and asks it once it is connected", async () => {
    let connect: () => void = () => undefined;
    meeting = () =>
      new Promise((resolve) => {
        connect = resolve;
      });
    answer = () => served({ epoch: 1, seq: 1, revision: 1, files: [someFile("one")], addresses: [] });
    const change = nextChange();
    sync.want("a", "newcomer");
    sync.want("b", "connected");
    await eventually(() => expect(opened).toEqual(["b"]));
    connect();
    await change;
    await eventually(() => expect(opened).toEqual(["b", "a"]));
  });

  it("leaves off dialling a lost author that connects by itself, and asks it on that connection", async () => {
    catalogues.replace("a", { epoch: 1, seq: 1, revision: 1 }, [], []);
    answer = (_, signal) => untilAborted(signal);
    sync.want("a", "lost");
    await eventually(() => expect(opened).toEqual(["a"]));
    answer = () => served({ epoch: 2, seq: 1, revision: 1, files: [someFile("one")], addresses: [] });
    const change = nextChange();
    sync.want("a", "connected");
    await change;
    expect(opened).toEqual(["a", "a"]);
    expect(catalogues.fileCount("a")).toBe(1);
  });
});
