/** The typed client against the app in this process. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ShoalClient } from "../../src/client/client.ts";
import type { ContentOptions } from "../../src/client/content.ts";
import { Client } from "../../src/client/vx-client.ts";
import { OTHER_ADDRESS, OTHER_PEER } from "./fake-node.ts";
import { BASE_URL, KEY, openInProcess } from "./in-process.ts";
import { memorySettings, memoryStorage } from "./memory-host.ts";

function openClient(apiKey = KEY) {
  const { app, fake } = openInProcess({
    settings: memorySettings({ max_upload: "now", swarm: "next_start" }),
    evictable: memoryStorage(),
  });
  const send = (request: Request) => app.fetch(request, { address: "127.0.0.1" });
  return { fake, send, client: new ShoalClient(`${BASE_URL}/`, { apiKey, fetch: send }) };
}

describe("ShoalClient", () => {
  it("uploads a stream, reads a range of it and deletes it", async () => {
    const { client } = openClient();
    const bytes = randomBytes(50_000);
    const shared = await client.upload(new Blob([bytes]).stream(), { name: "a b&c.bin" });
    expect(shared).toMatchObject({ name: "a b&c.bin", size: 50_000 });
    const range = await client.content(shared.file_id, { start: 10, end: 20 });
    expect(Buffer.from(await range.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    const whole = await client.content(shared.file_id);
    expect(whole.status).toBe(200);
    expect((await whole.arrayBuffer()).byteLength).toBe(50_000);
    expect((await client.files({ limit: 1 })).files).toHaveLength(1);
    expect((await client.deleteFile(shared.file_id)).message).toBe("File deleted successfully");
    expect((await client.files()).total).toBe(0);
  });

  it("gives no bytes for a range that has none, and no others than those asked for", async () => {
    const { client, send } = openClient();
    const { file_id } = await client.upload(new Blob(["abcdef"]), { name: "letters" });
    const textOf = async (range: ContentOptions) => await (await client.content(file_id, range)).text();
    expect(await textOf({ start: 3, end: 3 })).toBe("");
    expect(await textOf({ start: 0, end: 0 })).toBe("");
    expect(await textOf({ start: 6, end: 6 })).toBe("");
    expect(await textOf({ start: 4 })).toBe("ef");
    for (const range of [
      { start: 3, end: 2 },
      { start: -1 },
      { start: 0.5 },
      { end: Number.NaN },
      { start: 6 },
      { start: 7, end: 7 },
    ])
      await expect(client.content(file_id, range)).rejects.toMatchObject({ status: 416 });
    // Something between that knows no ranges.
    const fetch = (request: Request) =>
      send(new Request(request, { headers: { authorization: `Bearer ${KEY}` } }));
    const behind = new ShoalClient(BASE_URL, { apiKey: KEY, fetch });
    await expect(behind.content(file_id, { start: 4 })).rejects.toMatchObject({ code: "bad_answer" });
  });

  it("gives a node of an earlier version nothing that is to be unlisted, which that would tell everybody of", async () => {
    const { send } = openClient();
    const asked: string[] = [];
    let isOld = true;
    const fetch = (request: Request) => {
      asked.push(request.method);
      return isOld && request.method === "PATCH"
        ? Promise.resolve(Response.json({ error: true, code: 405, message: "" }, { status: 405 }))
        : send(request);
    };
    const client = new ShoalClient(BASE_URL, { apiKey: KEY, fetch });
    const file_id = (await client.upload(new Blob(["abc"]), { name: "abc" })).file_id;
    const unlisted = true;
    for (const give of [
      () => client.upload(new Blob(["secret"]), { name: "secret", unlisted }),
      () => client.share("secret", { unlisted }),
      () => client.shareFolder("secret", { unlisted }),
      () => client.makeFolder({ name: "secret", files: [{ path: "abc", file_id }], unlisted }),
      () => client.download({ file_id, unlisted }),
      () => client.downloadFolder(file_id, { unlisted }),
    ])
      await expect(give()).rejects.toMatchObject({
        status: 405,
        message: expect.stringContaining("earlier"),
      });
    expect(asked).toEqual(["POST", ...Array(6).fill("PATCH")]);
    isOld = false;
    const given = await client.upload(new Blob(["secret"]), { name: "secret", unlisted });
    await client.upload(new Blob(["another"]), { name: "another", unlisted });
    expect(await client.file(given.file_id)).toMatchObject({ unlisted });
    expect(asked.slice(7)).toEqual(["PATCH", "POST", "POST", "GET"]);
  });

  it("follows a download from start to end", async () => {
    const { client, fake } = openClient();
    const { fileId, release } = await fake.offer("film.mp4", randomBytes(3000));
    expect((await client.networkFiles()).files[0]).toMatchObject({ id: fileId, peers: [OTHER_PEER] });
    const { transfer_id } = await client.download({ file_id: fileId });
    expect((await client.transfers()).transfers.map(({ id }) => id)).toEqual([transfer_id]);
    await client.pause(transfer_id);
    expect((await client.transfer(transfer_id)).status).toBe("interrupted");
    expect((await client.resume(fileId)).status).toBe("resumed");
    const reading = client.events({ events: ["transfer_complete"], lastEventId: "from-the-start" });
    release();
    expect((await reading.next()).value).toMatchObject({ event: "transfer_complete", data: { transfer_id } });
    await reading.return(undefined);
    expect((await client.chunks(transfer_id)).states).toBe("2");
    expect((await client.transfers({ status: ["completed"] })).total).toBe(1);
    expect((await client.ticket(fileId)).url).toMatch(/^\/api\/v1\/stream\//);
  });

  it("tells of the node, its peers and its load", async () => {
    const { client } = openClient();
    expect((await client.health()).status).toBe("ok");
    expect((await client.connect(OTHER_ADDRESS)).id).toBe(OTHER_PEER);
    expect((await client.peers()).peers).toMatchObject([
      { downloaded: 100, download_speed: 13, relay: false },
    ]);
    expect((await client.nodeInfo()).peers_connected).toBe(1);
    const { file_id } = await client.upload(new Blob(["for Ada"]), { name: "letter.txt" });
    expect((await client.invite(OTHER_PEER, file_id)).success).toBe(true);
    expect((await client.systemStats()).network.total_downloaded).toBe(100);
    expect(await client.metrics()).toContain("shoal_peers_connected 1\n");
    expect((await client.openApi()).openapi).toBe("3.1.0");
  });

  it("lists what peers ask, and forgets it when told to, by its id in upper case, too", async () => {
    const { client, fake } = openClient();
    await client.connect(OTHER_ADDRESS);
    fake.invite({ name: "letter.txt", sizeBytes: 7 });
    const [invitation] = (await client.invitations()).invitations;
    expect(invitation).toMatchObject({
      peer_id: OTHER_PEER,
      peer_name: "Ada's laptop",
      name: "letter.txt",
      size: 7,
    });
    await client.dismissInvitation(invitation?.id.toUpperCase() ?? "");
    expect((await client.invitations()).total).toBe(0);
  });

  it("lists what peers were asked", async () => {
    const { client } = openClient();
    await client.connect(OTHER_ADDRESS);
    const { file_id } = await client.upload(new TextEncoder().encode("for Ada"), { name: "for Ada.txt" });
    await client.invite(OTHER_PEER, file_id);
    expect(await client.sentInvitations()).toMatchObject({
      invitations: [
        {
          peer_id: OTHER_PEER,
          peer_name: "Ada's laptop",
          file_id,
          name: "for Ada.txt",
          size: 7,
          status: "sent",
        },
      ],
      total: 1,
    });
  });

  it("changes settings and asks for storage that stays", async () => {
    const { client } = openClient();
    expect((await client.changeSettings({ max_upload: 5000, swarm: "other" })).pending).toEqual(["swarm"]);
    expect(await client.settings()).toMatchObject({ max_upload: 5000, swarm: "other", auto_resume: true });
    expect((await client.storage()).persisted).toBe(false);
    expect(await client.persistStorage()).toEqual({ persisted: true });
    await expect(client.identity()).rejects.toMatchObject({ status: 404 });
    await expect(client.replaceIdentity("AAAA")).rejects.toMatchObject({ status: 404 });
  });

  it("lifts no limit for a number that is none", async () => {
    const { client } = openClient();
    await client.changeSettings({ max_upload: 5 });
    await expect(client.changeSettings({ max_upload: Number.NaN })).rejects.toMatchObject({
      name: "ShoalError",
      status: 400,
      message: "max_upload: must be a number",
    });
    expect((await client.settings()).max_upload).toBe(5);
    expect((await client.changeSettings({ max_upload: null })).max_upload).toBeNull();
  });

  it("throws a refusal with its status, code and message", async () => {
    await expect(openClient("wrong").client.nodeInfo()).rejects.toMatchObject({
      name: "ShoalError",
      status: 401,
      code: "401",
      message: "API key not valid",
    });
    await expect(openClient("wrong").client.metrics()).rejects.toMatchObject({ code: "unauthorized" });
  });

  it.each([
    ["7", 7],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ])(
    "tells after how many seconds to try again, where the refusal counts them: %s",
    async (header, seconds) => {
      const answer = new Response("busy", { status: 503, headers: { "retry-after": header } });
      const refusal = await new ShoalClient(BASE_URL, { fetch: async () => answer })
        .files()
        .catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        name: "ShoalError",
        status: 503,
        message: "The node answered 503",
        retryAfterSeconds: seconds,
      });
    },
  );

  it.each([
    "127.0.0.1:8081",
    "localhost:8081",
    "",
    "http://",
    "ftp://localhost",
    "http://localhost:99999",
    "http://localhost?a",
    " http://localhost:8081 :1",
  ])("is not made for what is no URL: %j", (url) => {
    const refusal = new TypeError(`${JSON.stringify(url)} is no URL such as http://127.0.0.1:8081`);
    expect(() => new ShoalClient(url)).toThrow(refusal);
    expect(() => new Client(url)).toThrow(refusal);
  });

  it("is made for a URL in capitals", () => {
    expect(() => new ShoalClient("HTTP://LOCALHOST:8081")).not.toThrow();
  });

  it("is not made for what is no text", () => {
    const url = new URL("http://localhost") as unknown as string;
    expect(() => new ShoalClient(url)).toThrow("The server's URL is a text such as");
  });

  it("shows nobody's password in the refusal of a URL", () => {
    expect(() => new ShoalClient("http://ada:secret@localhost")).toThrow('"http://...@localhost" is no URL');
  });

  it.each(["", "{", "null", "[]", '"text"', `<html>${" ".repeat(200)}`])(
    "throws ShoalError for an answer that is no JSON object: %j",
    async (body) => {
      const fetch = async () => new Response(body, { headers: { "content-type": "application/json" } });
      const client = new ShoalClient(`${BASE_URL}/`, { fetch });
      await expect(client.files()).rejects.toMatchObject({
        name: "ShoalError",
        status: 200,
        code: "bad_answer",
        message: expect.stringContaining(
          `GET ${BASE_URL}/api/v1/files answered 200 with what is no JSON object: "`,
        ),
      });
    },
  );

  it("throws ShoalError for a list whose entries are none of a node's", async () => {
    const lists = { files: [null], peers: [null], transfers: [null], webhooks: [null] };
    const client = new ShoalClient(BASE_URL, { fetch: async () => Response.json(lists) });
    const calls = {
      files: () => client.files(),
      networkFiles: () => client.networkFiles(),
      similarFiles: () => client.similarFiles("id"),
      peers: () => client.peers(),
      transfers: () => client.transfers(),
      webhooks: () => client.webhooks(),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect(call(), name).rejects.toMatchObject({ name: "ShoalError", code: "bad_answer" });
    }
  });

  it("throws ShoalError for JSON that is no node's, whatever was asked", async () => {
    const client = new ShoalClient(BASE_URL, { fetch: async () => Response.json({}) });
    const calls: Record<string, () => Promise<unknown>> = {
      health: () => client.health(),
      nodeInfo: () => client.nodeInfo(),
      peers: () => client.peers(),
      connect: () => client.connect(OTHER_ADDRESS),
      invite: () => client.invite("id", "id"),
      invitations: () => client.invitations(),
      sentInvitations: () => client.sentInvitations(),
      dismissInvitation: () => client.dismissInvitation("id"),
      systemStats: () => client.systemStats(),
      settings: () => client.settings(),
      changeSettings: () => client.changeSettings({}),
      identity: () => client.identity(),
      replaceIdentity: () => client.replaceIdentity("AAAA"),
      storage: () => client.storage(),
      persistStorage: () => client.persistStorage(),
      files: () => client.files(),
      file: () => client.file("id"),
      networkFiles: () => client.networkFiles(),
      similarFiles: () => client.similarFiles("id"),
      fileMap: () => client.fileMap(),
      searchStatus: () => client.searchStatus(),
      share: () => client.share("path"),
      upload: () => client.upload(new Blob([]), { name: "name" }),
      changeFile: () => client.changeFile("id", { unlisted: true }),
      shareFolder: () => client.shareFolder("path"),
      makeFolder: () => client.makeFolder({ name: "name", files: [] }),
      folder: () => client.folder("id"),
      downloadFolder: () => client.downloadFolder("id"),
      deleteFile: () => client.deleteFile("id"),
      ticket: () => client.ticket("id"),
      download: () => client.download({ file_id: "id" }),
      transfers: () => client.transfers(),
      transfer: () => client.transfer("id"),
      chunks: () => client.chunks("id"),
      resume: () => client.resume("id"),
      pause: () => client.pause("id"),
      cancel: () => client.cancel("id"),
      webhooks: () => client.webhooks(),
      addWebhook: () => client.addWebhook("https://example.org"),
      changeWebhook: () => client.changeWebhook("id", {}),
      removeWebhook: () => client.removeWebhook("id"),
      openApi: () => client.openApi(),
      events: () => client.events().next(),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect(call(), name).rejects.toMatchObject({
        name: "ShoalError",
        code: "bad_answer",
        status: 200,
      });
    }
    // Those three give text and bytes.
    const methods = Object.getOwnPropertyNames(ShoalClient.prototype);
    expect(Object.keys(calls)).toEqual(
      methods.filter((name) => !["constructor", "metrics", "content", "folderArchive"].includes(name)),
    );
  });

  it.each(["{broken", "{}", '{"event":"peer_connected"}'])(
    "throws ShoalError for an event that is none: %s",
    async (data) => {
      const headers = { "content-type": "text/event-stream" };
      const fetch = async () => new Response(`data: ${data}\n\n`, { headers });
      const reading = new ShoalClient(BASE_URL, { fetch }).events();
      await expect(reading.next()).rejects.toMatchObject({ name: "ShoalError", code: "bad_answer" });
    },
  );

  it("ends its event stream when told to", async () => {
    const { client } = openClient();
    const stop = new AbortController();
    const next = client.events({ signal: stop.signal }).next();
    stop.abort();
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
  });
});
