/** Which node a command speaks to, and what it says where that fails: src/headless/commands/node-client. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { createProgram } from "../../../src/headless/command-line.ts";
import { reachNode, requestFailure } from "../../../src/headless/commands/node-client.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { refuse } from "./without-links.ts";

afterEach(() => vi.unstubAllEnvs());

it("takes an empty variable for an absent one, in every command", async () => {
  for (const name of ["SHOAL_URL", "SHOAL_API_KEY", "SHOAL_DATA_DIR"]) vi.stubEnv(name, "");
  const read: string[] = [];
  for (const command of createProgram().commands) {
    command.action(() => undefined);
    await command.parseAsync(
      command.registeredArguments.map(() => "x"),
      { from: "user" },
    );
    for (const [option, value] of Object.entries(command.opts())) {
      read.push(command.name());
      expect(value, `${command.name()} ${option}`).not.toBe("");
    }
  }
  expect(read).toContain("search");
});

it.each([
  [{ url: "ftp://127.0.0.1" }, "--url ftp://127.0.0.1 is no http or https URL"],
  [{ url: "http://somebody:word@127.0.0.1:9" }, "--url must not carry a user or password"],
  [{ url: "http://127.0.0.1:9/?key=k" }, "--url must not carry a query or fragment"],
  [{ url: "http://127.0.0.1:9/#top" }, "--url must not carry a query or fragment"],
  [{ apiKey: "ключ" }, "the API key is no key: those are of printable ASCII, without spaces"],
  [{ apiKey: "two\nlines" }, "the API key is no key: those are of printable ASCII, without spaces"],
])("refuses what can't be sent, or not to the node: %j", async (options, message) => {
  const reaching = reachNode({ url: "http://127.0.0.1:9", apiKey: "k", ...options });
  await expect(reaching).rejects.toMatchObject({ name: "usage", message });
});

it("names the data folder that it was given, where no node of that one runs", async () => {
  const dataDir = await temporaryFolder();
  await expect(reachNode({ dataDir })).rejects.toMatchObject({
    name: "request_failed",
    message: `no node with --enable-api runs with the data folder ${dataDir}: start one, or give --url and --api-key`,
  });
});

it.each([
  ["status", "--data-dir", "folder"],
  ["status", "--url", "url"],
  ["status", "--api-key", "key"],
  ["list-api-keys", "--data-dir", "folder"],
])("%s refuses an empty %s", async (command, option, value) => {
  await expect(createProgram().parseAsync([command, option, ""], { from: "user" })).rejects.toMatchObject({
    message: `error: option '${option} <${value}>' argument '' is invalid. It is empty.`,
  });
});

it("needs no data folder that it may not read, where it is told of the node", async () => {
  const dataDir = await temporaryFolder();
  refuse("readFile", "EACCES", (path) => path.startsWith(dataDir));
  const url = "http://127.0.0.1:9";
  expect(await reachNode({ url, apiKey: "k", dataDir })).toMatchObject({ isLocal: false });
  const message = `a key for the node at ${url} is missing: give --api-key`;
  await expect(reachNode({ url, dataDir })).rejects.toMatchObject({ message });
  await expect(reachNode({ apiKey: "k", dataDir })).rejects.toMatchObject({ code: "EACCES" });
});

it("shares nothing for an empty path, which is not the folder that the shell stands in", async () => {
  await expect(createProgram().parseAsync(["share", ""], { from: "user" })).rejects.toMatchObject({
    name: "usage",
    message: "an empty path names no file and no folder",
  });
});

it("says of each address of a name why it does not answer", async () => {
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "127.0.0.2", family: 4 },
  ];
  const socket = connect({
    host: "localhost",
    port: 1,
    lookup: (_name, _options, tell) => tell(null, addresses),
  });
  const [cause] = await once(socket, "error");
  expect(requestFailure(new TypeError("fetch failed", { cause }))).toMatchObject({
    name: "request_failed",
    message:
      "the node does not answer: connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.2:1" +
      " (start it, or name another by --url)",
  });
});
