/** The API screen's examples, as they are pasted: src/ui/api/example-texts. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { curlText, examplesFor, fetchText } from "../../../src/ui/api/example-texts.ts";

const examples = examplesFor(4, undefined);
const ended = examples.filter(({ path }) => !path.endsWith("/events"));

/** Runs the text as a page's console would, and gives what it asked for. */
async function asked(text: string): Promise<{ url: string; init: RequestInit }> {
  let request: { url: string; init: RequestInit } | undefined;
  const run = new Function("fetch", "shoal", "console", `return (async () => {${text}})()`);
  await run(
    async (url: string, init: RequestInit) => {
      request = { url, init };
      return Response.json({});
    },
    { apiKey: async () => "shoal_test" },
    { log: () => {} },
  );
  if (request === undefined) throw new Error("Nothing was asked for");
  return request;
}

describe("an example for fetch", () => {
  it.each(ended)("asks for what the page asks for when it runs it: $title", async (example) => {
    const { url, init } = await asked(fetchText(example));
    expect(url).toBe(example.path);
    expect(init.method ?? "GET").toBe(example.method);
    expect(new Headers(init.headers).get("authorization")).toBe("Bearer shoal_test");
    expect(init.body).toBe(example.body?.text);
    expect(new Headers(init.headers).get("content-type")).toBe(example.body?.type ?? null);
  });
});

describe("an example for curl", () => {
  it.each(examples)("is one command with each argument whole: $title", (example) => {
    const text = curlText(example, "http://127.0.0.1:8081").replace(/^curl/, "printf '%s\\n'");
    const words = execFileSync("sh", ["-c", text], { env: { SHOAL_API_KEY: "k" }, encoding: "utf8" });
    const lines = words.trimEnd().split("\n");
    expect(lines).toContain(`http://127.0.0.1:8081${example.path}`);
    expect(lines).toContain("Authorization: Bearer k");
    if (example.body !== undefined) expect(lines).toContain(example.body.text);
  });
});
