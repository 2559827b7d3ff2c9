/**
 * The package as npm installs it, beside its two dependencies and in a folder with nothing else: its command, entries
 * and types.
 */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { Shoals } from "./shoal-process.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shoal-test-"));
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  // Its scripts would build what is built.
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout: name } = await run("npm", pack, { cwd: root });
  await run("tar", ["xzf", join(folder, name.trim()), "-C", modules]);
  await rename(join(modules, "package"), join(modules, "shoal"));
  for (const dependency of Object.keys(packageJson.dependencies)) {
    await symlink(join(root, "node_modules", dependency), join(modules, dependency));
  }
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

it("has a command that runs", async () => {
  const command = join(folder, "node_modules/shoal", packageJson.bin.shoal);
  const { stdout } = await run(process.execPath, [command, "--version"], { cwd: folder });
  expect(stdout.trim()).toBe(packageJson.version);
});

it("has of the source what Python needs, and no map of code that is not there", async () => {
  const source = join(folder, "node_modules/shoal/src");
  const files = await readdir(source, { recursive: true });
  expect(files).toContain("client/python/README.md");
  expect(
    files.filter((file) => !"client/python".startsWith(file) && !file.startsWith("client/python/")),
  ).toEqual([]);
});

it("has no large file twice", async () => {
  const shoal = join(folder, "node_modules/shoal");
  const names = new Map<string, string[]>();
  for (const entry of await readdir(shoal, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if ((await stat(path)).size < 100_000) continue;
    const digest = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
    names.set(digest, [...(names.get(digest) ?? []), path]);
  }
  expect(names.size).toBeGreaterThan(10);
  expect([...names.values()].filter((paths) => paths.length > 1)).toEqual([]);
});

it("runs a node that reads files and documents its API, from a folder of its user's", async () => {
  await using shoals = new Shoals();
  const command = join(folder, "node_modules/shoal", packageJson.bin.shoal);
  const node = await shoals.start({ command, flags: ["--search"] });
  const docs = await fetch(`${node.url}/api/v1/docs/swagger-ui.css`);
  expect([docs.status, docs.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  await docs.body?.cancel();
  await node.client.upload(new TextEncoder().encode("The roof of the club leaks."), { name: "minutes.txt" });
  await until("the file is read", async () => {
    const { state, indexed, problem } = await node.client.searchStatus();
    expect(problem).toBeNull();
    return state === "ready" && indexed === 1;
  });
});

it("gives clients of a node, and the index as a library", async () => {
  await using shoals = new Shoals();
  const { url, apiKey, client } = await shoals.start();
  const { file_id } = await client.upload(new TextEncoder().encode("minutes"), { name: "minutes.txt" });
  await writeFile(
    join(folder, "use.mjs"),
    `import { Client, ShoalClient } from "shoal/client";
     import { Vx } from "shoal/vx";
     const [url, apiKey, fileId] = process.argv.slice(2);
     const { name } = await new ShoalClient(url, { apiKey }).file(fileId);
     const refusal = await new Client(url, { apiKey }).search([1]).catch(({ code }) => code);
     const vx = new Vx({ dimension: 2, storagePath: ":memory:" });
     await vx.add(7, [1, 0]);
     const [nearest] = await vx.search([1, 0], 1);
     await vx.close();
     console.log(JSON.stringify([name, refusal, nearest.id]));`,
  );
  const { stdout } = await run(process.execPath, ["use.mjs", url, apiKey, file_id], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual(["minutes.txt", "dimension_mismatch", 7]);
});

it("is the library of a program that stands on the command line, too", async () => {
  const program = `import { Vx } from "shoal/vx";
    const vx = new Vx({ dimension: 2 });
    await vx.add(7, [1, 0]);
    const [nearest] = await vx.search([1, 0], 1);
    await vx.close();
    console.log(nearest.id);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: folder });
  expect(stdout).toBe("7\n");
});

const isPythonThere =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

it.skipIf(!isPythonThere)("gives Python what pip installs, whose index is the package's", async () => {
  const project = join(folder, "node_modules/shoal/src/client/python");
  const program = `
import sys
sys.path[:0] = [sys.argv[1], f"{sys.argv[1]}/backend"]
import shoal_build, vx, vx.command
shoal_build.build_wheel(sys.argv[2])
with vx.Vx(dimension=2, storage_path=":memory:") as index:
    index.add(7, [1, 0])
    print(vx.command.find_command()[-1], index.search([1, 0], k=1)[0]["id"])`;
  const env = { ...process.env, SHOAL_COMMAND: "", PYTHONDONTWRITEBYTECODE: "1" };
  const { stdout } = await run("python3", ["-c", program, project, folder], { cwd: folder, env });
  expect(stdout.trim()).toBe(`${join(folder, "node_modules/shoal/dist/headless/shoal.js")} 7`);
  const files = await readdir(project, { recursive: true });
  expect(files.filter((file) => /tests|__pycache__/.test(file))).toEqual([]);
});

it("shows a line of its code, not a whole file, where nobody catches what it throws", async () => {
  const program = 'import { Vx } from "shoal/vx"; new Vx({ dimension: 0 });';
  const running = run(process.execPath, ["--input-type=module", "--eval", program], { cwd: folder });
  const { stderr } = await running.then(
    () => expect.unreachable(),
    (failed: { stderr: string }) => failed,
  );
  const lines = stderr.split("\n");
  expect(lines).toContainEqual(expect.stringContaining("VxError: Config: dimension is 0"));
  expect(lines).toContainEqual(expect.stringMatching(/dist\/chunks\/[\w-]+\.js:\d+$/));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(250);
});

it("has clients that import nothing but files of the package, as browsers need it", async () => {
  const chunks = join(folder, "node_modules/shoal/dist/chunks");
  const files = ["./client.js"];
  for (const file of files) {
    const text = await readFile(join(chunks, file), "utf8");
    for (const [, from = ""] of text.matchAll(/^(?:import|export)\b.*?["']([^"']+)["'];/gm)) files.push(from);
    expect(text).not.toMatch(/\b(?:require|import)\(/);
  }
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => !file.startsWith("./"))).toEqual([]);
});

it("is refused as a library by a bundler for browsers, which have no threads of Node.js", async () => {
  const input = join(folder, "page.js");
  await writeFile(input, 'import { Vx } from "shoal/vx"; new Vx({ dimension: 2 });');
  const bundling = build({
    configFile: false,
    root: folder,
    logLevel: "silent",
    build: { write: false, rolldownOptions: { input } },
  });
  await expect(bundling).rejects.toThrow('"./vx" is not exported');
});

it("has types that need no other package's, and know what the API answers", async () => {
  await writeFile(
    join(folder, "use.ts"),
    `import { Client, type ShareOptions, ShoalClient, type ShoalEvent, type Transfer } from "shoal/client";
     import { Vx } from "shoal/vx";
     const node = new ShoalClient("http://127.0.0.1:1");
     export const share = (path: string, options: ShareOptions) => node.share(path, options);
     export const keyed = (apiKey: string | undefined) => [new ShoalClient("", { apiKey }), new Client("", { apiKey })];
     interface Asked { q?: string | undefined; limit?: number | undefined; signal?: AbortSignal | undefined }
     export const asked = ({ q, limit, signal }: Asked) => [
       node.files({ q, limit, signal }), node.share("x", { signal }), node.events({ signal }), node.transfers({ limit }),
       node.content("x", { end: limit, signal }), node.chunks("x", { sample: limit }), node.changeWebhook("x", { url: q }),
     ];
     export const size: Promise<number> = node.file("x").then((file) => file.size);
     // @ts-expect-error: there is no such state
     export const states: Transfer["status"][] = ["completed", "nearly"];
     export const sizeOf = (event: ShoalEvent) => (event.event === "transfer_complete" ? event.data.size : 0);
     // @ts-expect-error: nor such an answer to an invitation, a type that has a name of its own
     export const isRead = (event: ShoalEvent) => event.event === "invitation_answered" && event.data.status === "read";
     export const found: Promise<{ distance: number }[]> = new Client("http://127.0.0.1:1").search([1]);
     // @ts-expect-error: no vector
     export const wrong = new Vx({ dimension: 2 }).add(1, "up");
     interface Note { title: string; tags?: string[] }
     const note: Note = { title: "roof" };
     export const added = [new Vx().add(1, [1], note), new Client("http://127.0.0.1:1").add(1, [1], note)];
     export const inBatch = new Client("http://127.0.0.1:1").batchAdd([{ id: 1, vector: [1], metadata: note }]);
     // @ts-expect-error: no metadata
     export const noRecord = new Vx().add(1, [1], [note]);
     // @ts-expect-error: nor for a server, which would get an empty object
     export const noMembers = new Client("http://127.0.0.1:1").add(1, [1], new Map([["title", "roof"]]));`,
  );
  await writeFile(
    join(folder, "use-node.ts"),
    `import { type OpenOptions, Vx } from "shoal/vx";
     const later: OpenOptions = { onDemand: true };
     export const perhaps = (create: boolean | undefined) => new Vx({}, { create });
     export const opened = (path: string) => new Vx({ storagePath: path }, later);
     export const found: Promise<{ distance: number }[]> = new Vx({ dimension: 2 }).search([1, 0]);`,
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const check = async (...args: string[]) => {
    const strict = ["--strict", "--exactOptionalPropertyTypes"];
    const options = ["--noEmit", ...strict, "--module", "NodeNext", "--target", "ES2023", ...args];
    const checking = run(process.execPath, [compiler, ...options], { cwd: folder });
    const { stdout } = await checking.catch((failed: { stdout: string }) => failed);
    expect(stdout).toBe("");
  };
  await check("--lib", "ES2023,DOM,DOM.AsyncIterable", "--types", "", "use.ts");
  const typeRoots = join(root, "node_modules/@types");
  await check("--lib", "ES2023", "--types", "node", "--typeRoots", typeRoots, "use-node.ts");
});

it("has of the index's types those that programs see", async () => {
  const shoal = join(folder, "node_modules/shoal/dist");
  const files = await readdir(shoal, { recursive: true });
  const types = files.filter((file) => file.endsWith(".d.ts") && !file.startsWith("client"));
  expect(types).toContain("vx/headless/vx.d.ts");
  const sizes = await Promise.all(types.map(async (file) => (await stat(join(shoal, file))).size));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(200_000);
});
