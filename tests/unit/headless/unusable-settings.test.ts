/** Settings that no node can start with, and are refused by the command before it loads one. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { refuseUnusable } from "../../../src/headless/commands/unusable-settings.ts";
import { loadSettings } from "../../../src/headless/settings/load-settings.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const NO_PEM = import.meta.filename;
const CERT = join(import.meta.dirname, "../../fixtures/tls/localhost-cert.pem");
const ADDRESS = "/ip4/127.0.0.1/tcp/4401";

const judge = async (flags: object) => refuseUnusable(await loadSettings({ flags, environment: {} }));

it.each([
  [{ bootstrap: [ADDRESS, "nonsense"] }, "the bootstrap address nonsense is no multiaddr"],
  [{ listen: [ADDRESS, "nonsense"] }, "--listen nonsense is no multiaddr"],
  [{ listen: ["/"] }, "--listen / is no multiaddr"],
  [{ "share-root": ["/", "/nowhere"] }, "the share root /nowhere is no folder"],
  [{ "share-root": [NO_PEM] }, `the share root ${NO_PEM} is no folder`],
  [{ swarm: "no good" }, "a swarm name has"],
  [{ "search-model": "/nowhere" }, "--search-model /nowhere is no folder"],
  [{ "web-port": "0", "tls-cert": CERT }, "--tls-cert and --tls-key are given together"],
  [{ "web-port": "0", "tls-cert": CERT, "tls-key": "/nowhere" }, "--tls-key /nowhere: ENOENT"],
  [{ "web-port": "0", "tls-cert": NO_PEM, "tls-key": NO_PEM }, "are no certificate with its key"],
  [
    { "enable-api": true, "vx-encryption-enabled": true, "vx-encryption-key": "short" },
    "the index: An encryption key has at least 32 bytes",
  ],
  [{ "enable-api": true, "vx-dimension": "3", "vx-dim-reduction-target": "4" }, "the index: "],
])("refuses %j", async (flags, reason) => {
  await expect(judge(flags)).rejects.toMatchObject({
    name: "usage",
    message: expect.stringContaining(reason),
  });
});

it("refuses a certificate with the key of another, of another kind as well", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = join(await temporaryFolder(), "key.pem");
  await writeFile(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  await expect(judge({ "web-port": "0", "tls-cert": CERT, "tls-key": key })).rejects.toMatchObject({
    name: "usage",
    message: expect.stringContaining("another certificate's"),
  });
});

it("takes a share root that comes to be with the data folder, and none beside it", async () => {
  const folder = join(await temporaryFolder(), "node");
  const dataFolder = join(folder, "data");
  await expect(judge({ "data-dir": dataFolder, "share-root": [folder] })).resolves.toBeUndefined();
  await expect(judge({ "data-dir": dataFolder, "share-root": [`${dataFolder}s`] })).rejects.toThrow(
    "is no folder",
  );
});

it("refuses roots in the data folder, of which nothing is shared and to which nothing is written", async () => {
  const dataFolder = await temporaryFolder();
  const refusal = (flag: string, path: string) => ({
    name: "usage",
    message: `${flag} ${path} is in the data folder, which is closed to shares and downloads`,
  });
  const given = { "data-dir": dataFolder };
  const downloads = join(dataFolder, "downloads");
  await expect(judge({ ...given, "share-root": ["/", dataFolder] })).rejects.toMatchObject(
    refusal("--share-root", dataFolder),
  );
  await expect(judge({ ...given, "download-root": downloads })).rejects.toMatchObject(
    refusal("--download-root", downloads),
  );
  await expect(judge({ ...given, "download-root": `${dataFolder}-downloads` })).resolves.toBeUndefined();
});

it("refuses roots among what the kernel shows, as a folder of the shared memory", async () => {
  const link = join(await temporaryFolder(), "link");
  await symlink("/dev", link);
  for (const [flag, given] of [
    ["share-root", ["/", link]],
    ["download-root", join(link, "shm/downloads")],
  ] as const) {
    const path = typeof given === "string" ? given : link;
    const message = `--${flag} ${path} is in /dev, which is closed to shares and downloads`;
    await expect(judge({ [flag]: given })).rejects.toMatchObject({ name: "usage", message });
  }
});

it("judges roots by where links lead, in the data folder as well", async () => {
  const [folder, disk] = [await temporaryFolder(), await temporaryFolder()];
  const [dataFolder, link] = [join(folder, "data"), join(folder, "link")];
  await mkdir(dataFolder);
  await symlink(dataFolder, link);
  const downloads = join(dataFolder, "downloads");
  for (const inside of [{ "download-root": downloads }, { "share-root": [dataFolder] }])
    await expect(judge({ "data-dir": link, ...inside })).rejects.toThrow("is in the data folder");
  await symlink(disk, downloads);
  const leadingOut = { "download-root": downloads, "share-root": [downloads] };
  await expect(judge({ "data-dir": dataFolder, ...leadingOut })).resolves.toBeUndefined();
});

it("takes the download root that nobody gave, where the node runs in its data folder", async () => {
  await expect(judge({ "data-dir": process.cwd() })).resolves.toBeUndefined();
});

it("leaves what comes by a pipe to who serves the page", async () => {
  const pipe = join(await temporaryFolder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  const writing = writeFile(pipe, "no key");
  await judge({ "web-port": "0", "tls-cert": CERT, "tls-key": pipe });
  expect(await readFile(pipe, "utf8")).toBe("no key");
  await writing;
});

it.each([
  {},
  { listen: [ADDRESS], bootstrap: [ADDRESS], swarm: "friends", "share-root": ["/"] },
  { "web-port": "0", "tls-cert": CERT, "tls-key": CERT.replace("cert", "key") },
  // The key of an index that is not served may be kept in the environment.
  { "vx-encryption-key": "short" },
  { search: false, "search-model": "/nowhere" },
])("takes %j", async (flags) => {
  await expect(judge(flags)).resolves.toBeUndefined();
});
