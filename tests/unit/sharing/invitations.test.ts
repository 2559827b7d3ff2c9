/** Invitations that came, and those that were sent: src/sharing/invitations. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createNodeEvents } from "../../../src/sharing/events.ts";
import { Invitations } from "../../../src/sharing/invitations/invitations.ts";
import { Inviting } from "../../../src/sharing/invitations/inviting.ts";
import { type SentInvitation, SentInvitations } from "../../../src/sharing/invitations/sent-invitations.ts";
import {
  ASK_INVITED_MAX_MS,
  ASK_INVITED_MIN_MS,
  MAX_INVITATIONS,
  MAX_INVITATIONS_PER_PEER,
  MAX_SENT_INVITATIONS,
} from "../../../src/sharing/limits.ts";
import type { Held, Offer } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { eventually } from "../../eventually.ts";
import { someFile } from "../../network/some-file.ts";
import { HandClock } from "../hand-clock.ts";
import { Hub } from "./hub.ts";

async function* once(text: string) {
  yield new TextEncoder().encode(text);
}

describe("invitations that are kept", () => {
  const names = (kept: Invitations) => kept.list().map(({ name }) => name);

  it("are one for each file of a peer, the newest last", () => {
    const clock = new HandClock();
    const kept = new Invitations(clock);
    const first = kept.add("ada", someFile("a"));
    kept.add("ada", someFile("b"));
    const again = kept.add("ada", someFile("a"));
    kept.add("bob", someFile("a"));
    expect(names(kept)).toEqual(["b", "a", "a"]);
    expect(() => kept.dismiss(first.id)).toThrow(expect.objectContaining({ name: "invitation_not_found" }));
    kept.dismiss(again.id);
    expect(kept.list().map(({ peerId }) => peerId)).toEqual(["ada", "bob"]);
  });

  it("of one peer replace its own oldest, and of many the oldest of who has the most", () => {
    const kept = new Invitations(new HandClock());
    kept.add("bob", someFile("from bob"));
    for (let count = 0; count <= MAX_INVITATIONS_PER_PEER; count++) kept.add("ada", someFile(`${count}`));
    expect(names(kept)).toHaveLength(MAX_INVITATIONS_PER_PEER + 1);
    expect(names(kept).slice(0, 2)).toEqual(["from bob", "1"]);
    for (const peer of ["c", "d", "e", "f", "g", "h", "i", "j"])
      for (let count = 0; count < MAX_INVITATIONS_PER_PEER; count++) kept.add(peer, someFile(`${count}`));
    expect(kept.list()).toHaveLength(MAX_INVITATIONS);
    expect(names(kept)[0]).toBe("from bob");
    for (let count = 0; count < MAX_INVITATIONS; count++) kept.add(`peer ${count}`, someFile("x"));
    expect(kept.list()).toHaveLength(MAX_INVITATIONS);
    expect(new Set(names(kept))).toEqual(new Set(["x"]));
  });
});

describe("invitations that were sent", () => {
  const offerOf = (holders: Partial<Offer>): Offer => ({
    ...someFile("a"),
    completeHolders: [],
    partialHolders: [],
    ...holders,
  });
  function sentWith(offer: () => Offer | undefined, askUnlisted: () => Promise<Held> = async () => "none") {
    const changes: string[] = [];
    const onChange = ({ peerId, status }: SentInvitation) => void changes.push(`${peerId} ${status}`);
    const sent = new SentInvitations({
      swarm: { offer, askUnlisted },
      clock: new HandClock(),
      onChange,
    });
    return { sent, changes };
  }

  it("are answered by what the peer announces, and by no other's", () => {
    let offer: Offer | undefined;
    const { sent, changes } = sentWith(() => offer);
    sent.add("bob", someFile("a"));
    for (const holders of [
      { completeHolders: ["eve"] },
      { partialHolders: ["bob"] },
      { partialHolders: ["bob", "eve"] },
      { completeHolders: ["bob"] },
      { partialHolders: ["bob"] },
    ]) {
      offer = offerOf(holders);
      sent.look();
    }
    expect(changes).toEqual(["bob downloading", "bob downloaded"]);
    offer = undefined;
    sent.look();
    expect(sent.list()[0]?.status).toBe("downloaded");
  });

  it("begin anew where they are sent again, and say at once what the peer has by then", () => {
    let offer: Offer | undefined = offerOf({ completeHolders: ["bob"] });
    const { sent, changes } = sentWith(() => offer);
    sent.add("bob", someFile("a"));
    expect(changes).toEqual(["bob downloaded"]);
    offer = undefined;
    sent.add("bob", someFile("a"));
    expect(sent.list().map(({ status }) => status)).toEqual(["sent"]);
  });

  it("are one for each file and peer", () => {
    const { sent } = sentWith(() => undefined);
    for (const [peerId, name] of [
      ["bob", "a"],
      ["bob", "b"],
      ["eve", "a"],
      ["bob", "a"],
    ] as const)
      sent.add(peerId, someFile(name));
    expect(sent.list().map(({ peerId, name }) => `${peerId} ${name}`)).toEqual(["bob b", "eve a", "bob a"]);
  });

  it("tell nothing of one that another took the place of while its peer was asked", async () => {
    const answer = deferred<Held>();
    const { sent, changes } = sentWith(
      () => undefined,
      () => answer.promise,
    );
    sent.add("bob", someFile("a"));
    sent.ask();
    sent.add("bob", someFile("a"));
    answer.resolve("all");
    await setImmediate();
    expect(changes).toEqual([]);
  });

  it("are so many at most, of which the oldest go", () => {
    const { sent } = sentWith(() => undefined);
    for (let count = 0; count <= MAX_SENT_INVITATIONS; count++) sent.add(`peer ${count}`, someFile("a"));
    expect(sent.list()).toHaveLength(MAX_SENT_INVITATIONS);
    expect(sent.list()[0]?.peerId).toBe("peer 1");
  });
});

describe("a peer that is silent", () => {
  it("keeps nobody from hearing what another that was invited has, and is asked once at a time", async () => {
    const clock = new HandClock();
    const over = new AbortController();
    const events = createNodeEvents(clock);
    const asked = { bob: 0, eve: 0 };
    const inviting = new Inviting({
      swarm: {
        invite: async () => undefined,
        offer: () => undefined,
        peers: () => [],
        askUnlisted: (peerId) => {
          asked[peerId as "bob" | "eve"]++;
          if (peerId === "bob") return deferred<Held>().promise;
          return Promise.resolve(asked.eve === 1 ? "none" : "all");
        },
      },
      events,
      clock,
      log: { debug: () => {}, info: () => {}, warn: () => {} },
      signal: over.signal,
    });
    for (const peerId of ["bob", "eve"]) await inviting.invite(peerId, someFile("a"), over.signal);
    await clock.pass(ASK_INVITED_MIN_MS);
    expect(events.since(0)).toMatchObject([
      { event: "invitation_answered", data: { peer_id: "eve", status: "downloaded" } },
    ]);
    await clock.pass(ASK_INVITED_MAX_MS);
    expect(asked).toEqual({ bob: 1, eve: 2 });
    over.abort();
  });
});

describe("a peer that leaves its invitation alone", () => {
  it("is asked more and more seldom, and at once and often again when it is invited to more", async () => {
    const clock = new HandClock();
    const over = new AbortController();
    const askedMs: number[] = [];
    let startMs = clock.monotonic();
    const inviting = new Inviting({
      swarm: {
        invite: async () => undefined,
        offer: () => undefined,
        peers: () => [],
        async askUnlisted() {
          askedMs.push(clock.monotonic() - startMs);
          return "none";
        },
      },
      events: createNodeEvents(clock),
      clock,
      log: { debug: () => {}, info: () => {}, warn: () => {} },
      signal: over.signal,
    });
    await inviting.invite("bob", someFile("a"), over.signal);
    await clock.pass(47_000);
    expect(askedMs.splice(0)).toEqual([0, 1000, 3000, 7000, 15_000, 31_000, 47_000]);
    startMs = clock.monotonic();
    await inviting.invite("bob", someFile("b"), over.signal);
    await clock.pass(18_000);
    expect([...new Set(askedMs)]).toEqual([0, 1000, 3000, 7000, 15_000]);
    over.abort();
  });
});

describe("a node that is invited", () => {
  it("is told of the file and keeps the invitation until it downloads the file", async () => {
    const hub = new Hub();
    const [ada, bob] = [await hub.join("ada"), await hub.join("bob")];
    const { file } = await ada.node.share(once("for bob"), { name: "letter.txt" });
    await ada.node.invite("bob", file.id);
    const [invitation] = bob.node.invitations();
    expect(invitation).toMatchObject({ peerId: "ada", fileId: file.id, name: "letter.txt", sizeBytes: 7 });
    expect(bob.node.events.since(0)).toMatchObject([
      {
        event: "invitation_received",
        data: {
          invitation_id: invitation?.id,
          peer_id: "ada",
          peer_name: null,
          file_id: file.id,
          name: "letter.txt",
          size: 7,
        },
      },
    ]);
    expect(bob.served).toEqual([]);
    const { file: other } = await ada.node.share(once("for bob, too"), { name: "other.txt" });
    await ada.node.invite("bob", other.id);
    await bob.node.download({ fileId: file.id });
    expect(bob.node.invitations()).toMatchObject([{ fileId: other.id }]);
  });

  it("has who invited told what comes of it, once each", async () => {
    const hub = new Hub();
    const [ada, bob] = [await hub.join("ada"), await hub.join("bob")];
    const { file } = await ada.node.share(once("for bob"), { name: "letter.txt" });
    const told = () =>
      ada.node.events
        .since(0)
        .flatMap(({ event, data }) => (event === "invitation_answered" ? [data.status] : []));
    await ada.node.invite("bob", file.id);
    expect(ada.node.sentInvitations()).toMatchObject([
      { peerId: "bob", fileId: file.id, name: "letter.txt", sizeBytes: 7, status: "sent" },
    ]);
    expect(told()).toEqual([]);
    const { id } = await bob.node.download({ fileId: file.id });
    await eventually(() => expect(bob.node.transfer(id).status).toBe("completed"));
    await eventually(() => expect(ada.node.sentInvitations()[0]?.status).toBe("downloaded"));
    expect(told().at(-1)).toBe("downloaded");
    expect(new Set(told()).size).toBe(told().length);
    await bob.node.deleteFile(file.id);
    expect(ada.node.sentInvitations()[0]?.status).toBe("downloaded");
  });

  it("has it told so too of an unlisted file, of which nobody else hears", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const [ada, bob] = [await hub.join("ada"), await hub.join("bob")];
    const { file } = await ada.node.share(once("for bob"), { name: "letter.txt", isUnlisted: true });
    await ada.node.invite("bob", file.id);
    await clock.pass(60_000);
    expect(ada.node.sentInvitations()[0]?.status).toBe("sent");
    await bob.node.download({ fileId: file.id });
    await eventually(async () => {
      await clock.pass(ASK_INVITED_MAX_MS);
      expect(ada.node.sentInvitations()[0]?.status).toBe("downloaded");
    });
    expect([...bob.announced]).toEqual([]);
    await clock.pass(ASK_INVITED_MAX_MS);
    expect(clock.sleeperCount).toBe(0);
  });

  it("invites to nothing that it does not have", async () => {
    const { node } = await new Hub().join("ada");
    await expect(node.invite("bob", someFile("x").fileId)).rejects.toMatchObject({ name: "file_not_found" });
    expect(() => node.dismissInvitation("x")).toThrow(
      expect.objectContaining({ name: "invitation_not_found" }),
    );
  });
});
