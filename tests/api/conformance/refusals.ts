/** What is refused before a resource is asked: paths, methods, media types, bodies, queries. Part of the conformance suite. */
import { describe, expect, it } from "vitest";
import { type Caller, nodeError, vxError } from "./caller.ts";
import { HELLO, MIB } from "./known.ts";

export function describeRefusals({ call, post, refused, share }: Caller): void {
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
      ["PUT", `/api/v1/files/${HELLO.id}`, "DELETE, GET, HEAD, PATCH"],
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
      ["POST", `/api/v1/folders/${HELLO.id}/download`, 400],
      ["PATCH", "/api/v1/settings", 200],
    ])("takes no body for {} where nothing must be in it: %s %s", async (method, path, status) => {
      await share("hello.txt", new TextEncoder().encode(HELLO.text));
      const send = (body?: RequestInit["body"], type?: string) =>
        call(path, {
          method,
          ...(body !== undefined && { body }),
          headers: type ? { "content-type": type } : {},
        });
      const answers = await Promise.all([
        send(),
        send(""),
        send("", "text/plain"),
        send(new ReadableStream({ start: (stream) => stream.close() })),
        send("{}", "application/json"),
      ]);
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(new Set(texts).size).toBe(1);
      expect(await refused(send("{}", "text/plain"))).toMatchObject(nodeError(415));
      for (const wrong of ["{", " ", "null"]) {
        expect(await refused(send(wrong, "application/json"))).toMatchObject(nodeError(400));
      }
    });

    it("takes no packed JSON bodies", async () => {
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      const body = JSON.stringify({ file_path: "x" });
      const answer = call("/api/v1/files/share", { method: "POST", body, headers });
      expect(await refused(answer)).toMatchObject(nodeError(415));
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

    it.each([
      ["events?events=transfer_started,lost", /^events: there is no "lost"; it takes transfer_started, /],
      ["events?events=", /^events: a name is missing; it takes /],
      ["transfers?status=completed,%20lost", /^status: there is no "lost"; it takes started, /],
      [`transfers?status=${"x".repeat(70)}`, /^status: there is no "x{64}"; /],
      ["transfers?status=failed&status=completed", /^status: is given more than once$/],
      ["files?limit=1&limit=2", /^limit: is given more than once$/],
      ["files?limit=none", /^limit: must be a whole number$/],
    ])("says of the query in %s what is wrong, by its parameter", async (path, words) => {
      const { status, body } = await refused(call(`/api/v1/${path}`));
      expect(status).toBe(400);
      expect(body).toMatchObject({ message: expect.stringMatching(words) });
    });

    it.each([
      ["folders", { name: "a", files: [{ path: "b" }] }, /^files\[0\]\.file_id: is missing$/],
      ["files/share", [], /^The body: must be an object$/],
      ["files/share", { file_path: 1 }, /^file_path: must be a text$/],
      ["files/share", { file_path: "a", unlistd: true }, /^unlistd: is not taken here, but unlisted is$/],
      ["transfers/download", { file_id: "a", outputPath: "b" }, /^outputPath: .*, but output_path is$/],
    ])("says of the body to %s what is wrong, by its place", async (path, sent, words) => {
      const { status, body } = await refused(post(`/api/v1/${path}`, sent));
      expect(status).toBe(400);
      expect(body).toMatchObject({ message: expect.stringMatching(words) });
    });

    it("says which number is out of range", async () => {
      const headers = { "content-type": "application/json" };
      const body = '{"file_path":"a","x":[1,-2e400,3]}';
      expect(await refused(call("/api/v1/files/share", { method: "POST", body, headers }))).toEqual({
        status: 400,
        body: { error: true, code: 400, message: "JSON number -2e400 is out of range" },
      });
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

    it.each([
      "limit=0",
      "limit=-1",
      "limit=1.5",
      "limit=x",
      "limit=0x10",
      "limit=1e3",
      "offset=-1",
      "offset=",
      "offset=9007199254740993",
    ])("refuses a list with %s", async (query) => {
      expect(await refused(call(`/api/v1/files?${query}`))).toMatchObject(nodeError(400));
    });
  });
}
