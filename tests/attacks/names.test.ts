/** Attacks 9 and 10 on a running node: hostile file names, and files that a browser could run. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { openRaw } from "./raw-http.ts";
import { expectUnharmed } from "./unharmed.ts";

const SCRIPT = "<script>fetch('/api/v1/files',{method:'POST'})</script>";
/** Controls of terminals and of direction, and what ends a line or a header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come out
const ACTED_ON = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

let shoals: Shoals;
let node: ShoalProcess;

beforeAll(async () => {
  shoals = new Shoals();
  node = await shoals.start({ flags: ["--log-level", "trace"] });
});
afterAll(() => shoals[Symbol.asyncDispose]());
afterEach(() => expectUnharmed(node));

/** Head and body as they came, not as fetch would show them. */
async function rawContent(path: string, key = node.apiKey) {
  const client = await openRaw(node.url);
  client.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return client.answer();
}

function header(head: string, name: string): string[] {
  const lines = head.split("\r\n").filter((line) => line.toLowerCase().startsWith(`${name}:`));
  return lines.map((line) => line.slice(name.length + 1).trim());
}

describe("a hostile name", () => {
  it.each([
    'quote".html"; filename="evil.exe',
    "semicolon;filename*=UTF-8''evil.exe",
    "percent%0d%0aSet-Cookie: a=b",
    "reversed\u202egpj.exe",
    "escape\u001b]0;owned\u0007\u001b[2J.txt",
    "line\nSet-Cookie: a=b\r\nX: y",
    "<img src=x onerror=alert(1)>.png",
    "null-ish \u0085\u2028\u2029.txt",
    "back\\slash..\\..\\evil.txt",
    "😀".repeat(62),
  ])("of a file on disk reaches headers, lists and logs without its sting: %j", async (name) => {
    const path = join(node.folder, "shared", name);
    await writeFile(path, `bytes of ${name}`);
    const { file_id } = await shareAsFound(path, name);
    const { head, status } = await rawContent(`/api/v1/files/${file_id}/content`);
    expect(status).toBe(200);
    const [disposition = "", ...more] = header(head, "content-disposition");
    expect(more).toEqual([]);
    expect(disposition).toMatch(
      /^(inline|attachment); filename="[^"\\%\r\n]*"; filename\*=UTF-8''[\w.!~%&$#+^`|-]*$/,
    );
    expect(header(head, "set-cookie")).toEqual([]);
    const listed = (await node.client.file(file_id)).name;
    expect(listed).not.toMatch(ACTED_ON);
    expect(listed).not.toMatch(/[/\\\n]/);
    expect(node.log.join("\n")).not.toMatch(ACTED_ON);
  });

  /** Where the path itself has what no path may have, the bytes come as an upload of that name. */
  async function shareAsFound(path: string, name: string) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused in a path
    if (!/[\u0000-\u001f\u007f\\]/.test(name)) return node.client.share(path);
    await expect(node.client.share(path)).rejects.toMatchObject({ status: expect.any(Number) });
    const bytes = new TextEncoder().encode(`bytes of ${name}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an upload refuses them too
    return node.client.upload(bytes, { name: name.replace(/[\u0000-\u001f\u007f]/g, "") });
  }
});

describe("a shared page", () => {
  it.each([
    "page.html",
    "image.svg",
    "page.xhtml",
    "feed.xml",
    "paper.pdf",
    "code.js",
    "style.css",
    "x.HTML",
    "none",
  ])("called %s is an attachment of unknown bytes that nothing may run, sniff or frame", async (name) => {
    const bytes = new TextEncoder().encode(`${SCRIPT}${name}`);
    const { file_id } = await node.client.upload(bytes, { name });
    const { url } = await node.client.ticket(file_id);
    for (const [path, key] of [
      [`/api/v1/files/${file_id}/content`, node.apiKey],
      [new URL(url, node.url).pathname, ""],
    ] as const) {
      const { head, body, status } = await rawContent(path, key);
      expect(status, path).toBe(200);
      expect(body).toContain("<script>");
      expect(header(head, "content-type")).toEqual(["application/octet-stream"]);
      expect(header(head, "content-disposition")[0]).toMatch(/^attachment;/);
      expect(header(head, "x-content-type-options")).toEqual(["nosniff"]);
      const [policy = ""] = header(head, "content-security-policy");
      expect(policy).toContain("sandbox");
      expect(policy).not.toContain("allow-");
      expect(policy).toContain("default-src 'none'");
    }
  });

  it("in the clothes of a text or an image stays sandboxed and is not sniffed", async () => {
    for (const [name, type] of [
      ["page.txt", "text/plain; charset=utf-8"],
      ["page.png", "image/png"],
    ] as const) {
      const bytes = new TextEncoder().encode(`${SCRIPT}${name}`);
      const { file_id } = await node.client.upload(bytes, { name });
      const { head } = await rawContent(`/api/v1/files/${file_id}/content`);
      expect(header(head, "content-type")).toEqual([type]);
      expect(header(head, "x-content-type-options")).toEqual(["nosniff"]);
      expect(header(head, "content-security-policy")[0]).toContain("sandbox");
    }
  });

  it("opens by its ticket alone: that file, by GET, and no other route", async () => {
    const one = await node.client.upload(new Uint8Array([1]), { name: "one.bin" });
    const two = await node.client.upload(new Uint8Array([2]), { name: "two.bin" });
    const { url } = await node.client.ticket(one.file_id);
    const at = new URL(url, node.url);
    const ticket = at.pathname.split("/").at(-1) ?? "";
    expect((await fetch(at)).status).toBe(200);
    expect((await fetch(at, { method: "DELETE" })).status).toBeGreaterThanOrEqual(400);
    expect((await fetch(at, { method: "POST" })).status).toBeGreaterThanOrEqual(400);
    const asKey = { Authorization: `Bearer ${ticket}` };
    expect((await fetch(`${node.url}/api/v1/files`, { headers: asKey })).status).toBe(401);
    const other = await fetch(`${node.url}/api/v1/files/${two.file_id}/content`, { headers: asKey });
    expect(other.status).toBe(401);
    expect((await node.client.file(one.file_id)).name).toBe("one.bin");
  });
});
