/** Where settings come from, which source wins, and what is said of wrong ones. */
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadSettings } from "../../../src/headless/settings/load-settings.ts";
import { misspeltVariables } from "../../../src/headless/settings/misspelt-variables.ts";
import { parseByteSize } from "../../../src/headless/settings/setting-values.ts";
import { SETTING_NAMES } from "../../../src/headless/settings/settings.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const USAGE = { name: "usage" };

describe("settings", () => {
  it("are told in a file as switched off by their own name", async () => {
    const loading = loadSettings({
      flags: {},
      environment: {},
      configPath: await fileWith("no-mdns: true\nbogus: 1\n"),
    });
    await expect(loading).rejects.toMatchObject({
      message: expect.stringMatching(/no setting "no-mdns" \(mdns: false\), "bogus"$/),
    });
  });

  it("that stand in a file without a blank behind the colon are named without their value", async () => {
    const configPath = await fileWith("{api-port: 1, webhook-secret:hush}\n");
    const loading = loadSettings({ flags: {}, environment: {}, configPath });
    await expect(loading).rejects.toMatchObject({
      message: expect.stringMatching(/no setting "webhook-secret:\.\.\." \(a blank goes behind the colon\)$/),
    });
  });

  it("of variables that are misspelt are told of, and not what others set", () => {
    const environment = {
      SHOAL_API_PROT: "1",
      SHOAL_MAXSTORAGE: "1GiB",
      SHOAL_NO_MDNS: "1",
      SHOAL_API_PORT: "1",
      SHOAL_CONFIG: "x",
      SHOAL_URL: "x",
      SHOAL_API_KEY: "x",
      SHOAL_SERVICE_HOST: "10.0.0.1",
      SHOAL_PORT: "tcp://10.0.0.1:8081",
      SHOAL_PORT_8081_TCP_ADDR: "10.0.0.1",
      PATH: "/bin",
    };
    expect(misspeltVariables(environment)).toEqual([
      "SHOAL_API_PROT is no setting: SHOAL_API_PORT is",
      "SHOAL_MAXSTORAGE is no setting: SHOAL_MAX_STORAGE is",
      "SHOAL_NO_MDNS is no setting: SHOAL_MDNS=off is",
    ]);
  });

  it("have the documented defaults", async () => {
    expect(await loadSettings({ flags: {}, environment: {} })).toEqual({
      "enable-api": false,
      "api-port": 8081,
      "api-host": "127.0.0.1",
      "web-host": "127.0.0.1",
      "download-root": "downloads",
      listen: [],
      bootstrap: [],
      "ice-server": [],
      swarm: "main",
      mdns: true,
      relay: false,
      gateway: false,
      "max-storage": 10 * 2 ** 30,
      "auto-resume": false,
      "rate-limit": 100,
      "cors-origin": [],
      "host-name": [],
      "trust-proxy": [],
      "max-body": 64 * 2 ** 20,
      "webhook-allow-private": false,
      search: true,
      excerpts: true,
      invitations: true,
      "vx-rate-limit": 0,
      "log-level": "info",
    });
  });

  it("are taken from flags before variables before the file before the defaults", async () => {
    const configPath = await fileWith(
      "api-port: 1\nswarm: file\nrelay: true\nlisten: [/ip4/127.0.0.1/tcp/1]\n",
    );
    const settings = await loadSettings({
      flags: { "api-port": "3" },
      environment: { SHOAL_API_PORT: "2", SHOAL_SWARM: "variable", SHOAL_CONFIG: "/nowhere" },
      configPath,
    });
    expect(settings).toMatchObject({
      "api-port": 3,
      swarm: "variable",
      relay: true,
      listen: ["/ip4/127.0.0.1/tcp/1"],
    });
  });

  it("come from a JSON file too, and from the file that SHOAL_CONFIG names", async () => {
    const path = await fileWith('{"max-storage": "2GB", "rate-limit": 0}');
    const settings = await loadSettings({ flags: {}, environment: { SHOAL_CONFIG: path } });
    expect(settings).toMatchObject({ "max-storage": 2e9, "rate-limit": 0 });
  });

  it("take lists by repetition and by commas", async () => {
    const settings = await loadSettings({
      flags: {
        bootstrap: ["/a,/b", "/c,/a"],
        "share-root": ["/with,comma", "/x", "/x"],
        "ice-server": ["turn:ada:a,b@turn.example,stun:stun.example"],
      },
      environment: { SHOAL_WEBHOOK_EVENTS: "transfer_complete, peer_connected" },
    });
    const variable = { SHOAL_SHARE_ROOT: ["/films,old", "/books", ""].join(delimiter) };
    const { "share-root": roots } = await loadSettings({ flags: {}, environment: variable });
    expect(roots).toEqual(["/films,old", "/books"]);
    expect(settings.bootstrap).toEqual(["/a", "/b", "/c"]);
    expect(settings["share-root"]).toEqual(["/with,comma", "/x"]);
    expect(settings["ice-server"]).toEqual(["turn:ada:a,b@turn.example", "stun:stun.example"]);
    expect(settings["webhook-events"]).toEqual(["transfer_complete", "peer_connected"]);
  });

  it("take an empty variable for an absent one", async () => {
    const environment = { SHOAL_SWARM: "", SHOAL_CONFIG: "" };
    expect((await loadSettings({ flags: {}, environment })).swarm).toBe("main");
  });

  it.each(["1", "true", "yes", "on", "TRUE"])("take %j for true, in a variable", async (word) => {
    expect((await loadSettings({ flags: {}, environment: { SHOAL_RELAY: word } })).relay).toBe(true);
  });

  it.each([
    ["api-port", "65536"],
    ["api-port", "-1"],
    ["api-port", "80x"],
    ["relay", "perhaps"],
    ["max-storage", "0"],
    ["max-storage", "10 apples"],
    ["max-upload", "-5"],
    ["rate-limit", "1.5"],
    ["cors-origin", "https://example.org/path"],
    ["cors-origin", "*"],
    ["host-name", "a b"],
    ["trust-proxy", "10.0.0.0/33"],
    ["trust-proxy", "proxy.example"],
    ["ice-server", "https://example.org"],
    ["webhook-url", "file:///etc/passwd"],
    ["webhook-url", "https://user:word@hooks.example.org"],
    ["webhook-secret", "whsec_no base64"],
    ["webhook-secret", "whsec_ABCDE"],
    ["webhook-events", "transfer_complete,nonsense"],
    ["webhook-events", ","],
    ["log-level", "loud"],
    ["swarm", undefined],
    ["share-root", undefined],
  ] as const)("refuse %s of %j and name the variable it is from", async (name, value) => {
    const variable = `SHOAL_${name.replaceAll("-", "_").toUpperCase()}`;
    const flags = value === undefined ? { [name]: "" } : {};
    const loading = loadSettings({ flags, environment: value === undefined ? {} : { [variable]: value } });
    await expect(loading).rejects.toMatchObject({
      ...USAGE,
      message: expect.stringContaining(value === undefined ? `--${name}` : variable),
    });
  });

  it("tell of all that is wrong at once", async () => {
    const loading = loadSettings({ flags: { "api-port": "x" }, environment: { SHOAL_RELAY: "y" } });
    await expect(loading).rejects.toMatchObject({
      message: expect.stringMatching(/--api-port.*\n.*SHOAL_RELAY/),
    });
  });

  it.each([
    ["a name that is none", "api-prot: 1", "api-prot"],
    ["no mapping", "[1, 2]", "names with values"],
    ["no YAML", "a: [", "--config"],
    ["aliases, which can blow up", "swarm: &a x\nlisten: [*a, *a]", "--config"],
  ])("refuse a file with %s", async (_what, content, reason) => {
    const loading = loadSettings({ flags: {}, environment: {}, configPath: await fileWith(content) });
    await expect(loading).rejects.toMatchObject({ ...USAGE, message: expect.stringContaining(reason) });
  });

  it("refuse a file whose values are of another kind, or missing, in the words for a wrong value", async () => {
    const values = ["{}", "~"];
    const complaints = {
      relay: "neither on nor off",
      "api-port": "no whole number",
      "vx-dim-reduction-min-variance": "no number from 0 to 1",
      "max-storage": "no size",
      "max-upload": "no rate",
      "vx-persist-interval": "no time",
      swarm: "no text .*quotes",
      bootstrap: "neither a text nor a list",
      "share-root": "neither a text nor a list",
      "webhook-url": "no http",
      "log-level": "no log level: fatal,",
    };
    for (const [name, complaint] of Object.entries(complaints)) {
      for (const value of values) {
        const configPath = await fileWith(`${name}: ${value}\n`);
        const loading = loadSettings({ flags: {}, environment: {}, configPath });
        await expect(loading, name).rejects.toMatchObject({
          message: expect.stringMatching(new RegExp(`: ${name} is ${complaint}[^\n]*$`)),
        });
      }
    }
  });

  it.each([
    ...["1e3", "0x10", " 5 ", ""].map((value) => ["vx-persist-interval", value]),
    ...["1e-1", "0x1", " 0.5 ", "", "."].map((value) => ["vx-dim-reduction-min-variance", value]),
  ])("refuse numbers in other spellings than people's: --%s %j", async (name, value) => {
    const loading = loadSettings({ flags: { [name]: value }, environment: {} });
    await expect(loading).rejects.toMatchObject({ ...USAGE, message: expect.stringContaining(`--${name}`) });
  });

  it.each(["- api-port", "words", "7"])("refuse a file that is no names with values: %s", async (text) => {
    const configPath = await fileWith(`${text}\n`);
    await expect(loadSettings({ flags: {}, environment: {}, configPath })).rejects.toMatchObject({
      name: "usage",
      message: `--config ${configPath}: settings are names with values, such as api-port: 8081`,
    });
  });

  it("tell once what is wrong with several entries of a list", async () => {
    const environment = { SHOAL_WEBHOOK_EVENTS: "a,b" };
    await expect(loadSettings({ flags: {}, environment })).rejects.toMatchObject({
      message: expect.stringMatching(/^SHOAL_WEBHOOK_EVENTS knows only [^\n]*$/),
    });
  });

  it("name the variable where it names the file that can't be read", async () => {
    const loading = loadSettings({ flags: {}, environment: { SHOAL_CONFIG: "/nowhere" } });
    await expect(loading).rejects.toMatchObject({
      message: expect.stringMatching(/^SHOAL_CONFIG \/nowhere: /),
    });
  });

  it("never repeat a secret in a complaint", async () => {
    const environment = { SHOAL_WEBHOOK_SECRET: "hush-hush", SHOAL_API_PORT: "x" };
    await expect(loadSettings({ flags: {}, environment })).rejects.not.toMatchObject({
      message: expect.stringContaining("hush-hush"),
    });
  });

  it.each([
    ["@hush-hush", "Plain value cannot start with reserved character @ at line 2, column 17"],
    ["hush: hush-hush", "Nested mappings are not allowed in compact mappings at line 2, column 17"],
    ["|hush-hush", "Block scalar header includes extra characters at line 2, column 18"],
    ["*hush-hush", "Alias resolution is disabled"],
    ["!hush-hush x", "Unresolved tag at line 2, column 17"],
  ])(
    "never repeat a secret of a file that is no YAML, and take no other for it: %s",
    async (secret, reason) => {
      const configPath = await fileWith(`swarm: x\nwebhook-secret: ${secret}\n`);
      await expect(loadSettings({ flags: {}, environment: {}, configPath })).rejects.toMatchObject({
        ...USAGE,
        message: `--config ${configPath}: ${reason}`,
      });
    },
  );

  it("have names that read the same as flag and as variable", () => {
    for (const name of SETTING_NAMES) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
});

describe("a size in bytes", () => {
  it.each([
    ["0", 0],
    ["1024", 1024],
    ["10GiB", 10 * 2 ** 30],
    ["10gib", 10 * 2 ** 30],
    ["1.5 MB", 1_500_000],
    ["500kB", 500_000],
    ["2K", undefined],
    ["", undefined],
    ["-1", undefined],
    ["1e9", undefined],
    ["999999TiB", undefined],
    ["10 GiB GiB", undefined],
  ])("%j is %s", (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  it("is a safe integer or refused, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^\d{1,18}(\.\d{1,8})? ?[KMGTkmgt]?i?[Bb]?$/)),
        (text) => {
          const bytes = parseByteSize(text);
          expect(bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 0)).toBe(true);
        },
      ),
    );
  });
});

async function fileWith(content: string): Promise<string> {
  const path = join(await temporaryFolder(), "settings");
  await writeFile(path, content);
  return path;
}
