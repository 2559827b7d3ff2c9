/** The link that is handed on, while the node's addresses are not known yet. */
import { signal } from "@preact/signals";
import { encodeQR } from "qr";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type ActionPorts,
  codeOf,
  copyLinks,
  linkTo,
  shareLink,
} from "../../../src/ui/files/file-actions.ts";
import type { NodeInfo } from "../../../src/ui/state/entries.ts";
import { createLive } from "../../../src/ui/state/live.ts";
import { createToasts } from "../../../src/ui/state/toasts.ts";

const RELAYED = "/dns4/example.org/tcp/443/tls/ws/p2p/QmRelay/p2p-circuit/webrtc/p2p/QmPage";
const FILE = { id: "bafyfile", name: "a.txt", size: 3 };

const handedOn: string[] = [];
beforeEach(() => {
  handedOn.length = 0;
  peers = [];
  vi.useFakeTimers();
  vi.stubGlobal("location", { href: "https://example.org/#/files" });
  vi.stubGlobal("navigator", {
    clipboard: { writeText: async (text: string) => void handedOn.push(text) },
    share: async ({ url }: { url: string }) => void handedOn.push(url),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Whom the node is connected to. */
let peers: { id: string }[];

const isUnintroduced = signal(false);

/** `answers`: the node's addresses, at each time it is asked. */
async function appWith(...answers: (string[] | Error)[]) {
  const info = createLive(async () => {
    const answer = answers.shift() ?? new Error("asked more often than needed");
    if (answer instanceof Error) throw answer;
    return { addresses: answer } as NodeInfo;
  });
  const toasts = createToasts();
  await info.refresh();
  return {
    app: { info, peers: createLive(async () => peers), isUnintroduced, toasts } as unknown as ActionPorts,
    told: () => toasts.shown.value.map((t) => t.text),
  };
}

it.each([
  { name: "AbortError", told: [], when: "is closed" },
  { name: "InvalidStateError", told: [], when: "is open already, as at a double tap" },
  { name: "NotAllowedError", told: [expect.stringContaining("Press the button again")], when: "is refused" },
])("a sheet that $when tells of nothing in the engine's words", async ({ name, told: words }) => {
  vi.stubGlobal("navigator", {
    share: async () => {
      throw new DOMException("Failed to execute 'share' on 'Navigator'", name);
    },
  });
  const { app, told } = await appWith([RELAYED]);
  await shareLink(app, FILE);
  expect(told()).toEqual(words);
});

it.each([
  { files: [FILE], next: "Open its QR code" },
  { files: [FILE, { ...FILE, id: "bafyother" }], next: "Press the button again" },
])("what the browser does not let be copied is had otherwise: $next", async ({ files, next }) => {
  const writeText = () => Promise.reject(new DOMException("not now", "NotAllowedError"));
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const { app, told } = await appWith([RELAYED]);
  await copyLinks(app, files);
  expect(told()).toEqual([expect.stringContaining(next)]);
});

it("of a link to a page that its host introduces nobody to, it is told whom that keeps out, and what the host lacks", async () => {
  const { app, told } = await appWith([], []);
  isUnintroduced.value = true;
  await copyLinks(app, [FILE]);
  isUnintroduced.value = false;
  expect(told()).toEqual([
    expect.stringMatching(/^Link copied\. Another browser .*Start the host with --relay/),
  ]);
});

it("a link to an unlisted file says so, as text and as a code without the name", async () => {
  const { app } = await appWith([RELAYED]);
  const secret = { ...FILE, unlisted: true };
  expect(linkTo(app, secret)).toContain("&unlisted=1&");
  expect(codeOf(app, { ...secret, name: "long ".repeat(60) })).toContain("size=3&unlisted=1");
  expect(linkTo(app, FILE)).not.toContain("unlisted");
});

describe("a link that is drawn as a QR code", () => {
  const sideOf = (text: string) => encodeQR(text, "raw", { ecc: "medium", border: 1 }).length - 2;

  it("has the file's name, and where that is long none, so that its modules stay large", async () => {
    // As long as they are in use.
    const peer = "12D3KooWArAETzcQbdJWEYWHNW3HM3GcxGG3ntmPE5dPiQ7fn6ak";
    const address = `/dns4/relay.example.org/tcp/443/tls/ws/p2p/${peer}/p2p-circuit/webrtc/p2p/${peer}`;
    const id = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
    const { app } = await appWith([address]);
    for (const [name, isNamed] of [
      ["a.txt", true],
      [`${"n".repeat(80)}.txt`, true],
      [`${"n".repeat(200)}.txt`, false],
      // Six characters of a link for each letter.
      [`${"שם ארוך ".repeat(6)}.txt`, false],
    ] as const) {
      const code = codeOf(app, { ...FILE, id, name });
      expect(code.includes("name="), name).toBe(isNamed);
      expect(code).toContain(`#/get/${id}?`);
      expect(code).toContain(`at=${address}`);
      expect(sideOf(code), name).toBeLessThanOrEqual(77);
      expect(linkTo(app, { ...FILE, name })).toContain("name=");
    }
  });
});

describe("a link", () => {
  it("is copied with the addresses that are known, and nothing is asked", async () => {
    const { app, told } = await appWith([RELAYED]);
    await copyLinks(app, [FILE]);
    expect(handedOn).toEqual([expect.stringContaining(`&at=${RELAYED}`)]);
    expect(told()).toEqual([expect.stringMatching(/^Link copied\. It works/)]);
  });

  it.each([
    ["copied", copyLinks, [FILE]],
    ["shared", shareLink, FILE],
  ] as const)("is %s with an address that came since the node was asked last", async (_how, act, what) => {
    const { app } = await appWith([], [RELAYED]);
    await act(app, what as never);
    expect(handedOn).toEqual([expect.stringContaining(`&at=${RELAYED}`)]);
  });

  it.each(["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]", "https://shoal.localhost"])(
    "from %s, which others can't open, says so",
    async (origin) => {
      vi.stubGlobal("location", { href: `${origin}/#/files` });
      const { app, told } = await appWith([RELAYED]);
      await copyLinks(app, [FILE]);
      await shareLink(app, FILE);
      const alone = expect.stringMatching(
        /It opens on this device alone, since it begins with .* paste it on/,
      );
      expect(told()).toEqual([alone, alone]);
    },
  );

  it.each(["https://localhost.example", "http://127.0.0.1.example", "http://192.168.1.20:8080"])(
    "from %s is not said to open here alone",
    async (origin) => {
      vi.stubGlobal("location", { href: `${origin}/#/files` });
      const { app, told } = await appWith([RELAYED]);
      await copyLinks(app, [FILE]);
      await shareLink(app, FILE);
      expect(told()).toEqual([expect.stringMatching(/^Link copied\. It works/)]);
    },
  );

  it("is handed to the system under the name of its folder, not of the list", async () => {
    const share = vi.fn(async (_: { title: string }) => {});
    vi.stubGlobal("navigator", { share });
    const { app } = await appWith([RELAYED]);
    await shareLink(app, { ...FILE, name: "trip.folder.json" });
    expect(share.mock.calls[0]?.[0].title).toBe("trip");
  });

  it.each([
    {
      node: "is connected to nobody",
      answer: [],
      peers: [],
      says: /connected to nobody, .* once the page shows a peer/,
    },
    {
      node: "knows no relay among its peers",
      answer: [],
      peers: [{ id: "p" }],
      says: /through peers that both/,
    },
    {
      node: "does not answer",
      answer: new Error("gone"),
      peers: [],
      says: /the node does not answer just now/,
    },
  ])("is copied, or shared, without an address where the node $node, and that is said", async (one) => {
    peers = one.peers;
    const { app, told } = await appWith([], one.answer, one.answer);
    await copyLinks(app, [FILE, { ...FILE, id: "bafyother" }]);
    await shareLink(app, FILE);
    expect(handedOn).toHaveLength(2);
    expect(handedOn.join()).not.toContain("at=");
    expect(told()).toEqual([
      expect.stringMatching(/^2 links copied\. Each leads to a part of the files/),
      expect.stringMatching(one.says),
    ]);
    expect(told()[0]).toMatch(one.says);
  });
});
