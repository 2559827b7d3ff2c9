/**
 * What every host of the REST API must answer, whatever carries the requests: run in one process here, over a
 * real HTTP server and through a service worker by the suites of those hosts. Each body is also held against
 * the OpenAPI document that the host itself serves.
 */
import { randomBytes } from "node:crypto";
import Ajv2020 from "ajv/dist/2020.js";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

export interface ConformanceHost {
  /** Sends a request to the host, as its clients would. */
  fetch: (request: Request) => Promise<Response>;
  /** Origin of the host, such as `http://127.0.0.1:8081`, without a slash at the end. */
  baseUrl: string;
  apiKey: string;
  /** Puts a file where `file_path` may point, and gives that path. */
  placeFile(name: string, bytes: Uint8Array): Promise<string>;
  /** A path inside no share root. */
  forbiddenPath: string;
  /** Lets another peer offer a file; a download of it completes only after `release`. */
  offerFile(name: string, bytes: Uint8Array): Promise<{ fileId: string; release: () => void }>;
  /** A path that downloads may go to, and what stands there later. */
  outputPath(name: string): string;
  readOutput(path: string): Promise<Uint8Array>;
  /** Multiaddr of a peer that answers. */
  peerAddress: string;
  /** Another start of the same host that allows few requests a minute; none where the host has no limit. */
  limited?: { fetch: (request: Request) => Promise<Response>; requestsPerMinute: number };
  close(): Promise<void>;
}

/** A raw file of 11 bytes has this id under the profile unixfs-v1-2025. */
const HELLO = { text: "hello world", id: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" };

const MIB = 1024 * 1024;
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

export function describeConformance(title: string, open: () => Promise<ConformanceHost>): void {
  describe(title, () => {
    let host: ConformanceHost;
    let document: OpenApiDocument;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });

    beforeAll(async () => {
      host = await open();
      document = (await (
        await host.fetch(new Request(`${host.baseUrl}/api/v1/openapi.json`))
      ).json()) as OpenApiDocument;
      ajv.addSchema(document, "api");
    });
    afterAll(() => host.close());

    const anonymous = (path: string, init: RequestInit = {}) =>
      host.fetch(
        new Request(host.baseUrl + path, {
          ...init,
          ...(init.body ? { duplex: "half" } : {}),
        } as RequestInit),
      );

    function call(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${host.apiKey}`);
      return anonymous(path, { ...init, headers });
    }

    const post = (path: string, body?: unknown) =>
      call(path, {
        method: "POST",
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
      });

    /** Status and body of an answer, the body held against the schema documented for `route`. */
    async function documented(route: string, answer: Response | Promise<Response>) {
      const response = await answer;
      const body = await bodyOf(response);
      const [method = "", path = ""] = route.split(" ");
      const pointer = ["paths", path, method.toLowerCase(), "responses", String(response.status)];
      const place = pointer
        .map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1"))
        .map(encodeURIComponent);
      const validate = ajv.getSchema(`api#/${place.join("/")}/content/application~1json/schema`);
      expect(validate, `${route} documents ${response.status}`).toBeDefined();
      validate?.(body);
      expect(validate?.errors ?? [], `${route} ${response.status} ${JSON.stringify(body)}`).toEqual([]);
      return { status: response.status, body, headers: response.headers };
    }

    async function refused(answer: Promise<Response>) {
      const response = await answer;
      return {
        status: response.status,
        body: (await response.json()) as { code?: number; message?: string },
      };
    }

    const nodeError = (code: number) => ({
      status: code,
      body: { error: true, code, message: expect.any(String) },
    });
    const vxError = (status: number, code: string) => ({
      status,
      body: { error: { code, message: expect.any(String) } },
    });

    async function share(name: string, bytes: Uint8Array): Promise<string> {
      const { body } = await documented(
        "POST /api/v1/files/share",
        post("/api/v1/files/share", { file_path: await host.placeFile(name, bytes) }),
      );
      return body.file_id;
    }

    async function transferIs(transferId: string, status: string): Promise<void> {
      await expect
        .poll(async () => (await bodyOf(call(`/api/v1/transfers/${transferId}`))).status, {
          timeout: 15_000,
        })
        .toBe(status);
    }

    describe("who is let in", () => {
      it("answers /health to anyone", async () => {
        const { status, body } = await documented("GET /health", anonymous("/health"));
        expect(status).toBe(200);
        expect(body).toMatchObject({ status: "ok", version: expect.any(String), uptime: expect.any(Number) });
      });

      it.each([
        ["no header", {}],
        ["an empty header", { authorization: "" }],
        ["an empty key", { authorization: "Bearer " }],
        ["another scheme", { authorization: "Basic c2hvYWw6c2hvYWw=" }],
        ["a wrong key", { authorization: "Bearer shoal_wrong" }],
      ])("refuses %s with 401 and names the scheme", async (_what, headers) => {
        const response = await anonymous("/api/v1/node/info", { headers: headers as Record<string, string> });
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
        expect(await refused(Promise.resolve(response))).toMatchObject(nodeError(401));
      });

      it("takes the scheme in any case", async () => {
        const headers = { authorization: `bearer ${host.apiKey}` };
        expect((await anonymous("/api/v1/node/info", { headers })).status).toBe(200);
      });

      it("decides 401 before 404, 405, 415 and 400", async () => {
        const text = { method: "POST", body: "x", headers: { "content-type": "text/plain" } };
        for (const answer of [
          anonymous("/api/v1/nowhere"),
          anonymous("/api/v1/node/info", { method: "DELETE" }),
          anonymous("/api/v1/files/share", text),
          anonymous("/api/v1/files?limit=-1"),
        ]) {
          expect(await refused(answer)).toMatchObject(nodeError(401));
        }
        expect(await refused(anonymous("/nowhere"))).toMatchObject(vxError(401, "unauthorized"));
      });

      it("refuses a state change that another site's page asks for, key or no key", async () => {
        const foreign = { method: "POST", headers: { origin: "https://evil.example" } };
        expect(await refused(call("/api/v1/tickets", foreign))).toMatchObject(nodeError(403));
        expect(await refused(anonymous("/api/v1/tickets", foreign))).toMatchObject(nodeError(403));
      });

      it("sends no CORS header to an origin that is not listed", async () => {
        const response = await call("/api/v1/node/info", { headers: { origin: "https://evil.example" } });
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
      });
    });

    describe("what is refused", () => {
      it("answers an unknown path in the shape of its surface", async () => {
        expect(await refused(call("/api/v1/nowhere"))).toMatchObject(nodeError(404));
        expect(await refused(call("/nowhere"))).toMatchObject(vxError(404, "not_found"));
        expect(await refused(call("/api/v1/files/"))).toMatchObject(nodeError(404));
      });

      it.each([
        ["POST", "/api/v1/node/info", "GET, HEAD"],
        ["GET", "/api/v1/files/share", "POST"],
        ["GET", "/api/v1/transfers/download", "POST"],
        ["PUT", "/api/v1/files", "GET, HEAD, POST"],
        ["PATCH", `/api/v1/files/${HELLO.id}`, "DELETE, GET, HEAD"],
      ])("answers %s %s with 405 and what is allowed", async (method, path, allow) => {
        const response = await call(path, { method });
        expect(response.headers.get("allow")).toBe(allow);
        expect(await refused(Promise.resolve(response))).toMatchObject(nodeError(405));
      });

      it("takes JSON bodies as application/json in UTF-8 alone", async () => {
        const body = JSON.stringify({ file_path: "x" });
        for (const type of [
          "text/plain",
          "application/x-www-form-urlencoded",
          "application/json; charset=latin1",
        ]) {
          const answer = call("/api/v1/files/share", {
            method: "POST",
            body,
            headers: { "content-type": type },
          });
          expect(await refused(answer)).toMatchObject(nodeError(415));
        }
      });

      it.each([
        ["no JSON", "{"],
        ["an empty body", ""],
        ["a list", "[]"],
        ["a missing field", "{}"],
        ["a number for a text", '{"file_path":1}'],
        ["a key twice", '{"file_path":"a","file_path":"b"}'],
        ["__proto__", '{"file_path":"a","__proto__":{}}'],
        ["__proto__ in escapes", '{"file_path":"a","\\u005f_proto__":{}}'],
        ["NUL in a path", '{"file_path":"a\\u0000b"}'],
        ["deep nesting", `{"file_path":${"[".repeat(1000)}${"]".repeat(1000)}}`],
        ["a number out of range", '{"file_path":"a","x":1e999}'],
      ])("refuses %s with 400", async (_what, body) => {
        const headers = { "content-type": "application/json" };
        expect(await refused(call("/api/v1/files/share", { method: "POST", body, headers }))).toMatchObject(
          nodeError(400),
        );
      });

      it("refuses bad UTF-8 with 400", async () => {
        const body = new Uint8Array([...new TextEncoder().encode('{"file_path":"'), 0xff, 0xfe, 0x22, 0x7d]);
        const headers = { "content-type": "application/json" };
        expect(await refused(call("/api/v1/files/share", { method: "POST", body, headers }))).toMatchObject(
          nodeError(400),
        );
      });

      it("refuses a long body with 413, also one that does not say its length", async () => {
        const headers = { "content-type": "application/json" };
        const long = `{"file_path":"${"a".repeat(2 * MIB)}"}`;
        expect(
          await refused(call("/api/v1/files/share", { method: "POST", body: long, headers })),
        ).toMatchObject(nodeError(413));
        const body = new Blob([long]).stream();
        expect(await refused(call("/api/v1/files/share", { method: "POST", body, headers }))).toMatchObject(
          nodeError(413),
        );
      });

      it.each(["limit=0", "limit=-1", "limit=1.5", "limit=x", "offset=-1", "limit=1e9"])(
        "refuses a list with %s",
        async (query) => {
          expect(await refused(call(`/api/v1/files?${query}`))).toMatchObject(nodeError(400));
        },
      );
    });

    describe("the node", () => {
      it("tells who it is", async () => {
        const { status, body } = await documented("GET /api/v1/node/info", call("/api/v1/node/info"));
        expect(status).toBe(200);
        expect(Object.keys(body)).toEqual(
          expect.arrayContaining([
            "node_id",
            "version",
            "uptime",
            "peers_connected",
            "storage_used",
            "storage_available",
          ]),
        );
      });

      it("connects to a peer by its address and lists it", async () => {
        const connected = await documented(
          "POST /api/v1/node/peers",
          post("/api/v1/node/peers", { address: host.peerAddress }),
        );
        expect(connected.status).toBe(200);
        const { body } = await documented("GET /api/v1/node/peers", call("/api/v1/node/peers"));
        const peers = body.peers;
        const peer = peers.find(({ id }) => id === connected.body.id);
        expect(peer?.address).toMatch(/:\d+$/);
        expect(peer?.connected_since).toMatch(ISO_UTC);
      });

      it("refuses an address that is none with 400", async () => {
        expect(await refused(post("/api/v1/node/peers", { address: "example.org" }))).toMatchObject(
          nodeError(400),
        );
      });

      it("tells its load", async () => {
        const { status, body } = await documented("GET /api/v1/system/stats", call("/api/v1/system/stats"));
        expect(status).toBe(200);
        expect(body.cpu_usage).toBeGreaterThanOrEqual(0);
        expect(body.cpu_usage).toBeLessThanOrEqual(1);
      });

      it("gives metrics as Prometheus text", async () => {
        const response = await call("/metrics");
        expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
        expect(await response.text()).toMatch(/^shoal_peers_connected \d+$/m);
      });
    });

    describe("files", () => {
      it("shares a path under the id that IPFS gives the bytes, and again under the same", async () => {
        const path = await host.placeFile("hello.txt", new TextEncoder().encode(HELLO.text));
        for (const _again of [1, 2]) {
          const { status, body } = await documented(
            "POST /api/v1/files/share",
            post("/api/v1/files/share", { file_path: path }),
          );
          expect(status).toBe(200);
          expect(body).toEqual({ file_id: HELLO.id, name: "hello.txt", size: 11, chunks: 1 });
        }
        const { body } = await documented("GET /api/v1/files", call("/api/v1/files"));
        expect(body.files.filter(({ id }) => id === HELLO.id)).toHaveLength(1);
      });

      it("refuses a path outside the share roots with 403", async () => {
        const answer = post("/api/v1/files/share", { file_path: host.forbiddenPath });
        expect(await refused(answer)).toMatchObject(nodeError(403));
      });

      it("pages its lists and counts all entries", async () => {
        await share("page-1.bin", randomBytes(10));
        await share("page-2.bin", randomBytes(10));
        const all = (await documented("GET /api/v1/files", call("/api/v1/files"))).body;
        const page = (await documented("GET /api/v1/files", call("/api/v1/files?limit=1&offset=1"))).body;
        expect(page.files).toEqual(all.files.slice(1, 2));
        expect(page.total).toBe(all.files.length);
        expect((await bodyOf(call("/api/v1/files?offset=100000"))).files).toEqual([]);
      });

      it("gives one file's fields under any spelling of its id", async () => {
        await share("hello.txt", new TextEncoder().encode(HELLO.text));
        for (const id of [HELLO.id, HELLO.id.toUpperCase()]) {
          const { body } = await documented("GET /api/v1/files/{file_id}", call(`/api/v1/files/${id}`));
          expect(body).toMatchObject({
            id: HELLO.id,
            name: "hello.txt",
            size: 11,
            chunks: 1,
            complete: true,
          });
          expect(body.created_at).toMatch(ISO_UTC);
        }
      });

      it("answers 404 for a file that is not here and for an id that is none", async () => {
        const absent = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
        for (const id of [absent, "no-cid", "share"]) {
          expect(await refused(call(`/api/v1/files/${id}`, { method: "DELETE" }))).toMatchObject(
            nodeError(id === "share" ? 405 : 404),
          );
        }
        expect(await refused(call(`/api/v1/files/${absent}/content`))).toMatchObject(nodeError(404));
      });

      it("deletes a file", async () => {
        const id = await share("gone.bin", randomBytes(100));
        const { status, body } = await documented(
          "DELETE /api/v1/files/{file_id}",
          call(`/api/v1/files/${id}`, { method: "DELETE" }),
        );
        expect(status).toBe(200);
        expect(body).toEqual({ success: true, message: "File deleted successfully" });
        expect(await refused(call(`/api/v1/files/${id}`))).toMatchObject(nodeError(404));
      });

      it("lists what others offer, with the peers that hold it", async () => {
        const { fileId } = await host.offerFile("offered.bin", randomBytes(2000));
        await expect
          .poll(async () => {
            const { body } = await documented("GET /api/v1/files/network", call("/api/v1/files/network"));
            return body.files.find(({ id }) => id === fileId);
          })
          .toMatchObject({ name: "offered.bin", size: 2000, peers: [expect.any(String)] });
      });
    });

    describe("uploads", () => {
      const upload = (
        body: NonNullable<RequestInit["body"]>,
        headers: Record<string, string> = {},
        query = "",
      ) => documented("POST /api/v1/files", call(`/api/v1/files${query}`, { method: "POST", body, headers }));

      it("shares a raw body under the name given, 201 first and 200 again", async () => {
        const bytes = randomBytes(3 * MIB + 1);
        const headers = { "content-type": "application/octet-stream" };
        const first = await upload(bytes, headers, "?name=up.bin");
        expect(first.status).toBe(201);
        expect(first.body).toMatchObject({ name: "up.bin", size: bytes.length, chunks: 4 });
        expect(first.headers.get("location")).toBe(`/api/v1/files/${first.body.file_id}`);
        expect((await upload(bytes, headers, "?name=up.bin")).status).toBe(200);
        const content = await call(`/api/v1/files/${first.body.file_id}/content`);
        expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
      });

      it("shares a stream of unknown length, with the name in its Content-Disposition", async () => {
        const bytes = randomBytes(100_000);
        const headers = { "content-disposition": "attachment; filename*=UTF-8''na%C3%AFve.bin" };
        const { status, body } = await upload(new Blob([bytes]).stream(), headers);
        expect(status).toBe(201);
        expect(body).toMatchObject({ name: "naïve.bin", size: 100_000 });
      });

      it("shares the file of a form as a browser sends it", async () => {
        const bytes = randomBytes(MIB + 17);
        const form = new FormData();
        form.append("note", "a field beside the file");
        form.append("file", new Blob([bytes]), 'quote " and ü.bin');
        const { status, body } = await upload(form);
        expect(status).toBe(201);
        expect(body).toMatchObject({ name: 'quote " and ü.bin', size: bytes.length, chunks: 2 });
      });

      it("shares an empty file as one chunk", async () => {
        const { body } = await upload(
          new Uint8Array(0),
          { "content-type": "application/octet-stream" },
          "?name=empty",
        );
        expect(body).toMatchObject({ size: 0, chunks: 1 });
      });

      it("keeps nothing of a form with two files, none, or no end", async () => {
        const before = (await bodyOf(call("/api/v1/files"))).total;
        const two = new FormData();
        two.append("a", new Blob([randomBytes(10)]), "a");
        two.append("b", new Blob([randomBytes(10)]), "b");
        const none = new FormData();
        none.append("name", "x");
        expect((await upload(two)).status).toBe(400);
        expect((await upload(none)).status).toBe(400);
        const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes';
        expect((await upload(cut, { "content-type": "multipart/form-data; boundary=b" })).status).toBe(400);
        expect((await bodyOf(call("/api/v1/files"))).total).toBe(before);
      });

      it("refuses a form of another kind with 415", async () => {
        for (const type of [
          "application/x-www-form-urlencoded",
          "multipart/mixed; boundary=b",
          "multipart/form-data",
        ]) {
          expect((await upload("x", { "content-type": type })).status).toBe(415);
        }
      });
    });

    describe("content", () => {
      const bytes = randomBytes(2 * MIB + 100);
      let fileId: string;
      beforeAll(async () => {
        fileId = await share("content.bin", bytes);
      });
      const content = (headers: Record<string, string> = {}, method = "GET") =>
        call(`/api/v1/files/${fileId}/content`, { method, headers });
      const taken = async (response: Response) => Buffer.from(await response.arrayBuffer());

      it("sends the bytes with length, validator and a name", async () => {
        const response = await content();
        expect(response.status).toBe(200);
        expect(response.headers.get("content-length")).toBe(String(bytes.length));
        expect(response.headers.get("accept-ranges")).toBe("bytes");
        expect(response.headers.get("etag")).toBe(`"${fileId}"`);
        expect(response.headers.get("content-disposition")).toContain("attachment");
        expect((await taken(response)).equals(bytes)).toBe(true);
      });

      it("answers HEAD with the same headers and no body", async () => {
        const response = await content({}, "HEAD");
        expect(response.status).toBe(200);
        expect(response.headers.get("content-length")).toBe(String(bytes.length));
        expect(await response.text()).toBe("");
      });

      it.each([
        ["bytes=0-0", 0, 1],
        ["bytes=5-1048580", 5, 1048581],
        ["bytes=2097152-", 2097152, bytes.length],
        ["bytes=-10", bytes.length - 10, bytes.length],
        ["bytes=-99999999", 0, bytes.length],
        ["bytes=10-99999999", 10, bytes.length],
      ])("answers Range %s with 206", async (range, start, end) => {
        const response = await content({ range });
        expect(response.status).toBe(206);
        expect(response.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
        expect(response.headers.get("content-length")).toBe(String(end - start));
        expect((await taken(response)).equals(bytes.subarray(start, end))).toBe(true);
      });

      it.each(["bytes=99999999-", "bytes=-0"])("answers Range %s with 416 and the size", async (range) => {
        const response = await content({ range });
        expect(response.headers.get("content-range")).toBe(`bytes */${bytes.length}`);
        expect(await refused(Promise.resolve(response))).toMatchObject(nodeError(416));
      });

      it.each(["bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=-"])(
        "takes no notice of Range %s",
        async (range) => {
          const response = await content({ range });
          expect(response.status).toBe(200);
          await response.body?.cancel();
        },
      );

      it("honours If-Range only for the bytes that are here", async () => {
        expect((await content({ range: "bytes=0-9", "if-range": `"${fileId}"` }, "GET")).status).toBe(206);
        const other = await content({ range: "bytes=0-9", "if-range": '"other"' });
        expect(other.status).toBe(200);
        await other.body?.cancel();
      });

      it("answers 304 to a reader that has the bytes", async () => {
        for (const etag of [`"${fileId}"`, `W/"${fileId}"`, "*", `"x", "${fileId}"`]) {
          const response = await content({ "if-none-match": etag });
          expect(response.status).toBe(304);
          expect(await response.text()).toBe("");
        }
      });

      it("never lets shared HTML or SVG run on this origin", async () => {
        for (const name of ["page.html", "image.svg", "page.xhtml", "feed.xml", "no-extension"]) {
          const id = await share(name, randomBytes(20));
          const { headers } = await call(`/api/v1/files/${id}/content`, { method: "HEAD" });
          expect(headers.get("content-type")).toBe("application/octet-stream");
          expect(headers.get("content-disposition")).toMatch(/^attachment;/);
          expect(headers.get("x-content-type-options")).toBe("nosniff");
          expect(headers.get("content-security-policy")).toContain("sandbox");
        }
      });

      it("shows known safe media in place", async () => {
        const id = await share("film.mp4", randomBytes(20));
        const { headers } = await call(`/api/v1/files/${id}/content`, { method: "HEAD" });
        expect(headers.get("content-type")).toBe("video/mp4");
        expect(headers.get("content-disposition")).toMatch(/^inline;/);
        const saved = await call(`/api/v1/files/${id}/content?download=true`, { method: "HEAD" });
        expect(saved.headers.get("content-disposition")).toMatch(/^attachment;/);
      });

      it("streams to a reader without a key by ticket, for that one file", async () => {
        const { status, body } = await documented(
          "POST /api/v1/tickets",
          post("/api/v1/tickets", { file_id: fileId }),
        );
        expect(status).toBe(201);
        expect(body.url).toMatch(/^\/api\/v1\/stream\/[\w-]{22}$/);
        const response = await anonymous(body.url, { headers: { range: "bytes=0-99" } });
        expect(response.status).toBe(206);
        expect((await taken(response)).equals(bytes.subarray(0, 100))).toBe(true);
        expect((await anonymous(body.url, { method: "HEAD" })).status).toBe(200);
        expect((await anonymous(body.url, { method: "DELETE" })).status).toBe(405);
        expect(await refused(anonymous("/api/v1/stream/AAAAAAAAAAAAAAAAAAAAAA"))).toMatchObject(
          nodeError(404),
        );
        expect(await refused(post("/api/v1/tickets", { file_id: "no-cid" }))).toMatchObject(nodeError(400));
      });
    });

    describe("transfers", () => {
      it("downloads a file to a path", async () => {
        const bytes = randomBytes(MIB + 5);
        const { fileId, release } = await host.offerFile("download.bin", bytes);
        const output_path = host.outputPath("download.bin");
        const { status, body } = await documented(
          "POST /api/v1/transfers/download",
          post("/api/v1/transfers/download", { file_id: fileId, output_path, multi_peer: true }),
        );
        expect(status).toBe(200);
        expect(body).toMatchObject({
          file_id: fileId,
          transfer_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        });
        release();
        await transferIs(body.transfer_id, "completed");
        expect(Buffer.from(await host.readOutput(output_path)).equals(bytes)).toBe(true);

        const { body: detail } = await documented(
          "GET /api/v1/transfers/{transfer_id}",
          call(`/api/v1/transfers/${body.transfer_id}`),
        );
        expect(detail).toMatchObject({ progress: 1, file_id: fileId });
        const again = post("/api/v1/transfers/download", { file_id: fileId, output_path });
        expect(await refused(again)).toMatchObject(nodeError(409));
      });

      it("lists active transfers, and ended ones when asked", async () => {
        const { fileId, release } = await host.offerFile("listed.bin", randomBytes(50_000));
        const { body } = await documented(
          "POST /api/v1/transfers/download",
          post("/api/v1/transfers/download", { file_id: fileId }),
        );
        const ids = async (query: string) => {
          const listed = await documented("GET /api/v1/transfers", call(`/api/v1/transfers${query}`));
          return listed.body.transfers.map(({ id }) => id);
        };
        expect(await ids("")).toContain(body.transfer_id);
        expect(await ids("?status=completed,failed")).not.toContain(body.transfer_id);
        release();
        await transferIs(body.transfer_id, "completed");
        expect(await ids("")).not.toContain(body.transfer_id);
        expect(await ids("?all=true")).toContain(body.transfer_id);
        expect(await ids("?status=completed")).toContain(body.transfer_id);
        expect(await refused(call("/api/v1/transfers?status=lost"))).toMatchObject(nodeError(400));
      });

      it("gives the transfer under way to a second request for the same", async () => {
        const { fileId, release } = await host.offerFile("twice.bin", randomBytes(60_000));
        const start = async () =>
          (await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }))).transfer_id;
        expect(await start()).toBe(await start());
        release();
      });

      it("cancels an active transfer once", async () => {
        const { fileId } = await host.offerFile("cancelled.bin", randomBytes(70_000));
        const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
        const route = "POST /api/v1/transfers/{transfer_id}/cancel";
        const cancelled = await documented(route, post(`/api/v1/transfers/${transfer_id}/cancel`));
        expect(cancelled).toMatchObject({
          status: 200,
          body: { success: true, message: "Transfer cancelled" },
        });
        await transferIs(transfer_id, "cancelled");
        expect(await refused(post(`/api/v1/transfers/${transfer_id}/cancel`))).toMatchObject(nodeError(409));
      });

      it("pauses and resumes the same transfer", async () => {
        const { fileId, release } = await host.offerFile("paused.bin", randomBytes(80_000));
        const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
        const route = "POST /api/v1/transfers/{transfer_id}/pause";
        expect((await documented(route, post(`/api/v1/transfers/${transfer_id}/pause`))).status).toBe(200);
        await transferIs(transfer_id, "interrupted");
        const resumed = await documented(
          "POST /api/v1/transfers/resume/{file_id}",
          post(`/api/v1/transfers/resume/${fileId}`),
        );
        expect(resumed).toMatchObject({
          status: 200,
          body: { transfer_id, file_id: fileId, status: "resumed" },
        });
        release();
        await transferIs(transfer_id, "completed");
        expect(await refused(post(`/api/v1/transfers/resume/${fileId}`))).toMatchObject(nodeError(409));
      });

      it("tells which chunk is where", async () => {
        const { fileId, release } = await host.offerFile("pieces.bin", randomBytes(2 * MIB + 1));
        const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
        release();
        await transferIs(transfer_id, "completed");
        const route = "GET /api/v1/transfers/{transfer_id}/pieces";
        const { body } = await documented(route, call(`/api/v1/transfers/${transfer_id}/pieces`));
        expect(body).toMatchObject({ chunks: 3, states: "222" });
        expect(Buffer.from(body.sources, "base64")).toHaveLength(3);
      });

      it("answers 404 for what was never asked for", async () => {
        const unknown = "00000000-0000-4000-8000-000000000000";
        expect(await refused(call(`/api/v1/transfers/${unknown}`))).toMatchObject(nodeError(404));
        expect(await refused(post(`/api/v1/transfers/${unknown}/cancel`))).toMatchObject(nodeError(404));
        expect(await refused(post("/api/v1/transfers/resume/no-cid"))).toMatchObject(nodeError(404));
        expect(await refused(post("/api/v1/transfers/download", { file_id: "no-cid" }))).toMatchObject(
          nodeError(400),
        );
      });

      it("keeps a file that is being downloaded from deletion, and streams it as it comes", async () => {
        const bytes = randomBytes(90_000);
        const { fileId, release } = await host.offerFile("busy.bin", bytes);
        const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
        await expect.poll(async () => (await call(`/api/v1/files/${fileId}`)).status).toBe(200);
        expect((await bodyOf(call(`/api/v1/files/${fileId}`))).complete).toBe(false);
        expect(await refused(call(`/api/v1/files/${fileId}`, { method: "DELETE" }))).toMatchObject(
          nodeError(409),
        );
        const reading = call(`/api/v1/files/${fileId}/content`).then((response) => response.arrayBuffer());
        release();
        expect(Buffer.from(await reading).equals(bytes)).toBe(true);
        await transferIs(transfer_id, "completed");
      });
    });

    describe("events", () => {
      /** Reads events until `last` comes; gives all of them. */
      async function eventsUntil(response: Response, last: string): Promise<EventSourceMessage[]> {
        const read: EventSourceMessage[] = [];
        const parser = createParser({ onEvent: (event) => void read.push(event) });
        const decoder = new TextDecoder();
        for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
          parser.feed(decoder.decode(bytes, { stream: true }));
          if (read.some(({ event }) => event === last)) return read;
        }
        return read;
      }

      it("tells what happens, and replays it to a reader that comes back", async () => {
        const response = await call("/api/v1/events");
        expect(response.headers.get("content-type")).toBe("text/event-stream");
        const reading = eventsUntil(response, "file_deleted");
        const id = await share("event.bin", randomBytes(30));
        await call(`/api/v1/files/${id}`, { method: "DELETE" });
        const events = await reading;
        const shared = events.find(({ event }) => event === "file_shared");
        expect(JSON.parse(shared?.data ?? "")).toEqual({
          event: "file_shared",
          timestamp: expect.stringMatching(ISO_UTC),
          data: { file_id: id, name: "event.bin", size: 30, chunks: 1 },
        });
        const headers = { "last-event-id": shared?.id ?? "" };
        const missed = await eventsUntil(await call("/api/v1/events", { headers }), "file_deleted");
        expect(missed.map(({ event }) => event)).toEqual(["file_deleted"]);
      });

      it("sends only the events asked for and refuses unknown ones", async () => {
        const reading = call("/api/v1/events?events=file_deleted").then((response) =>
          eventsUntil(response, "file_deleted"),
        );
        const id = await share("filtered.bin", randomBytes(30));
        await call(`/api/v1/files/${id}`, { method: "DELETE" });
        expect((await reading).map(({ event }) => event)).toEqual(["file_deleted"]);
        expect(await refused(call("/api/v1/events?events=nothing"))).toMatchObject(nodeError(400));
      });
    });

    describe("the document", () => {
      it("is OpenAPI 3.1 and names every route of the node and their refusals", () => {
        expect(document.openapi).toMatch(/^3\.1\./);
        expect(Object.keys(document.paths)).toEqual(
          expect.arrayContaining([
            "/health",
            "/api/v1/node/info",
            "/api/v1/files/share",
            "/api/v1/transfers/{transfer_id}/cancel",
            "/api/v1/events",
          ]),
        );
        for (const [path, methods] of Object.entries(document.paths)) {
          for (const operation of Object.values(methods)) {
            expect(Object.keys(operation.responses), path).toEqual(expect.arrayContaining(["403", "500"]));
          }
        }
      });
    });

    describe("the rate limit", () => {
      it("serves so many requests in a minute and then says when to come back", async ({ skip }) => {
        const { limited } = host;
        if (limited === undefined) return skip("this host has no limit");
        const ask = () => limited.fetch(new Request(`${host.baseUrl}/api/v1/node/info`));
        for (let left = limited.requestsPerMinute - 1; left >= 0; left -= 1) {
          const { status, headers } = await ask();
          expect(status).toBe(401);
          expect(headers.get("ratelimit")).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`));
          expect(headers.get("ratelimit-policy")).toBe(`"default";q=${limited.requestsPerMinute};w=60`);
        }
        const refusal = await ask();
        expect(Number(refusal.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(await refused(Promise.resolve(refusal))).toMatchObject(nodeError(429));
        expect((await limited.fetch(new Request(`${host.baseUrl}/health`))).status).toBe(200);
      });
    });
  });
}

/** Fields of the answers that the suite reads; what an answer really has is checked by its schema. */
interface Answer {
  complete: boolean;
  cpu_usage: number;
  created_at: string;
  file_id: string;
  files: { id: string; peers: string[] }[];
  id: string;
  peers: { id: string; address: string; connected_since: string }[];
  sources: string;
  status: string;
  total: number;
  transfer_id: string;
  transfers: { id: string }[];
  url: string;
}

async function bodyOf(response: Response | Promise<Response>): Promise<Answer> {
  return (await (await response).json()) as Answer;
}

interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, { responses: object }>>;
}
