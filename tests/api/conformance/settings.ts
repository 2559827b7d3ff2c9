/** Settings, identity and storage of the host. Part of the conformance suite. */
import { describe, expect, it } from "vitest";
import { type Caller, nodeError } from "./caller.ts";

const SETTINGS = "/api/v1/settings";

export function describeSettings({ call, post, json, documented, refused, document }: Caller): void {
  const change = (body: unknown) => json("PATCH", SETTINGS, body);
  const read = async () => (await documented(`GET ${SETTINGS}`, call(SETTINGS))).body as unknown as Settings;

  describe("settings", () => {
    it("change what can be changed while the node runs", async () => {
      const before = await read();
      expect(before.changeable).toMatchObject({ max_upload: "now", max_download: "now" });
      const changed = await documented(
        `PATCH ${SETTINGS}`,
        change({ max_upload: 50_000_000, max_download: 60_000_000 }),
      );
      expect(changed.status).toBe(200);
      expect(await read()).toMatchObject({ ...before, max_upload: 50_000_000, max_download: 60_000_000 });
      await change({ max_upload: before.max_upload, max_download: before.max_download });
      expect(await read()).toEqual(before);
    });

    it("take a name with the joiners that scripts and emoji need", async () => {
      const { name: before, changeable } = await read();
      for (const name of ["👩‍👩‍👧", "می‌خواهم"]) {
        expect((await change({ name })).status).toBe(changeable.name === undefined ? 409 : 200);
        expect((await read()).name).toBe(changeable.name === undefined ? before : name);
      }
      if (changeable.name !== undefined) await change({ name: before });
    });

    it("keep each entry of a list once", async () => {
      const { changeable, bootstrap, ice_servers } = await read();
      const given = {
        bootstrap: Array(2).fill("/ip4/127.0.0.1/tcp/1"),
        ice_servers: Array(2).fill("stun:127.0.0.1:1"),
      };
      const isFixed = changeable.bootstrap === undefined;
      expect((await change(given)).status).toBe(isFixed ? 409 : 200);
      const kept = { bootstrap: given.bootstrap.slice(1), ice_servers: given.ice_servers.slice(1) };
      expect(await read()).toMatchObject(isFixed ? { bootstrap, ice_servers } : kept);
      if (!isFixed) await change({ bootstrap, ice_servers });
    });

    it("change together or not at all", async () => {
      const before = await read();
      for (const body of [
        { max_upload: 1000, max_download: 0 },
        { max_upload: 1000, max_download: "fast" },
        { max_upload: 1000, colour: "blue" },
      ]) {
        expect(await refused(change(body))).toMatchObject(nodeError(400));
      }
      expect(await read()).toEqual(before);
    });

    it("that are fixed by how the node was started say so with 409", async () => {
      const { changeable, ...values } = await read();
      for (const name of SETTING_NAMES.filter((setting) => changeable[setting] === undefined)) {
        const answer = await refused(change({ [name]: values[name] }));
        expect(answer).toMatchObject(nodeError(409));
        expect(answer.body.message).toContain(name);
      }
    });

    it.each([
      { swarm: "" },
      { swarm: null },
      { swarm: "x".repeat(65) },
      { swarm: "Main" },
      { swarm: "-a" },
      { swarm: "a/b" },
      { name: "two\nlines" },
      { name: "\u202egpj.exe" },
      { name: "n".repeat(65) },
      { bootstrap: "/ip4/127.0.0.1/tcp/1" },
      { bootstrap: ["example.org"] },
      { bootstrap: [""] },
      { bootstrap: ["/ip4/127.0.0.1/tcp/1/p2p/nobody"] },
      { bootstrap: Array(33).fill("/ip4/127.0.0.1/tcp/1") },
      { ice_servers: ["http://example.org"] },
      { ice_servers: ["stun:a b"] },
      { ice_servers: ["turn:example.org:3478"] },
      { max_storage: 0 },
      { max_storage: null },
      { max_storage: 2 ** 53 },
      { max_upload: -1 },
      { max_upload: 1.5 },
      { auto_resume: "yes" },
      { search: 1 },
      { search_model: "" },
      [],
    ])("of the wrong kind are refused: %j", async (body) => {
      expect(await refused(change(body))).toMatchObject(nodeError(400));
    });
  });

  describe("the storage", () => {
    it("tells what is used, what is left and whether it may be taken away", async () => {
      const { status, body } = await documented("GET /api/v1/storage", call("/api/v1/storage"));
      expect(status).toBe(200);
      expect(body).toMatchObject({ quota: (await read()).max_storage, persisted: expect.any(Boolean) });
    });

    it("is kept for good on request, where it may be taken away", async () => {
      const path = "/api/v1/storage/persist";
      const answer = await post(path);
      if (document().paths[path] === undefined) {
        expect(await refused(Promise.resolve(answer))).toMatchObject(nodeError(404));
      } else {
        const { body } = await documented(`POST ${path}`, answer);
        expect(await (await call("/api/v1/storage")).json()).toMatchObject(body);
      }
    });
  });

  describe("the identity", () => {
    const path = "/api/v1/identity";
    const replace = (private_key: unknown) => json("PUT", path, { private_key });
    const isThere = () => document().paths[path] !== undefined;

    it("is exported and imported where the host hands it out, and 404 elsewhere", async () => {
      const answer = await call(path);
      if (!isThere()) {
        expect(await refused(Promise.resolve(answer))).toMatchObject(nodeError(404));
        expect(await refused(replace("AAAA"))).toMatchObject(nodeError(404));
        return;
      }
      const { node_id, private_key } = (await documented(`GET ${path}`, answer)).body as unknown as {
        node_id: string;
        private_key: string;
      };
      const replaced = await documented(`PUT ${path}`, replace(OTHER_KEY));
      expect(replaced.body).toEqual({ node_id: OTHER_KEY_ID, takes_effect: "next_start" });
      expect(await (await call(path)).json()).toEqual({ node_id: OTHER_KEY_ID, private_key: OTHER_KEY });
      expect((await documented(`PUT ${path}`, replace(private_key))).body).toMatchObject({ node_id });
    });

    it.each(["", "no base64!", "AAAA", "A".repeat(9000), 7, null])(
      "is not replaced by what is no key: %j",
      async (key) => {
        const before = await (await call(path)).text();
        expect(await refused(replace(key))).toMatchObject(nodeError(isThere() ? 400 : 404));
        expect(await (await call(path)).text()).toBe(before);
      },
    );
  });
}

/** An Ed25519 key whose seed is 32 bytes of 7. */
const OTHER_KEY =
  "CAESQAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=";
const OTHER_KEY_ID = "12D3KooWRawPbxPtP1eZaJpumGnyWX2DcUyd3RQnydr3eAto4Az7";

type Settings = Record<string, unknown> & { changeable: Record<string, string | undefined> };

const SETTING_NAMES = [
  "name",
  "swarm",
  "bootstrap",
  "ice_servers",
  "max_storage",
  "max_upload",
  "max_download",
  "auto_resume",
  "search",
  "excerpts",
  "invitations",
  "search_model",
];
