/** The settings of the index: each reaches its Config, and a wrong one is told with its name. */
import { describe, expect, it } from "vitest";
import { loadSettings } from "../../../src/headless/settings/load-settings.ts";
import { SETTING_NAMES, SWITCHES } from "../../../src/headless/settings/settings.ts";
import { indexConfig, vxSettings } from "../../../src/headless/settings/vx-settings.ts";
import { parseDuration, readConfig } from "../../../src/vx/config.ts";

async function configOf(flags: Record<string, unknown>, environment: Record<string, string> = {}) {
  return indexConfig(await loadSettings({ flags, environment }));
}

describe("the index's settings", () => {
  it("leave every default to the Config", async () => {
    expect(Object.values(await configOf({})).every((value) => value === undefined)).toBe(true);
  });

  it("say what the Config takes where they are not given", () => {
    const defaults = readConfig({}, true);
    const toldDefault = (name: keyof typeof vxSettings) =>
      /default(?: of a new index)?: ([^;)]+)/.exec(vxSettings[name].meta()?.title as string)?.[1] ?? "";
    expect(toldDefault("vx-max-elements")).toBe(String(defaults.maxElements));
    expect(toldDefault("vx-hnsw-m")).toBe(String(defaults.hnswM));
    expect(toldDefault("vx-hnsw-ef-construct")).toBe(String(defaults.hnswEfConstruct));
    expect(toldDefault("vx-hnsw-ef-search")).toBe(String(defaults.hnswEfSearch));
    expect(toldDefault("vx-quantization")).toBe(defaults.quantization);
    expect(toldDefault("vx-batch-size")).toBe(String(defaults.batchSize));
    expect(parseDuration("", toldDefault("vx-persist-interval"))).toBe(defaults.persistIntervalMs);
    expect(parseDuration("", toldDefault("vx-backup-interval"))).toBe(defaults.backupIntervalMs);
    expect(toldDefault("vx-backup-compression")).toBe(defaults.backupCompression ? "on" : "off");
    expect(toldDefault("vx-max-backups")).toBe(String(defaults.maxBackups));
  });

  it("reach every field of the Config", async () => {
    const key = "k".repeat(32);
    const config = await configOf({
      "vx-dimension": "8",
      "vx-distance": "L2",
      "vx-storage-path": "/index",
      "vx-max-elements": "1000",
      "vx-hnsw-m": "12",
      "vx-hnsw-ef-construct": "99",
      "vx-hnsw-ef-search": "77",
      "vx-quantization": "none",
      "vx-batch-size": "5",
      "vx-persist-interval": "30s",
      "vx-backup-interval": "0",
      "vx-backup-path": "/elsewhere",
      "vx-backup-compression": "off",
      "vx-max-backups": "3",
      "vx-encryption-enabled": true,
      "vx-encryption-key": key,
      "vx-enable-dim-reduction": true,
      "vx-dim-reduction-method": "Umap",
      "vx-dim-reduction-target": "2",
      "vx-dim-reduction-adaptive": true,
      "vx-dim-reduction-min-variance": "0.5",
      "vx-fit-after": "99",
    });
    expect(readConfig(config, true)).toEqual({
      ...readConfig({}, true),
      dimension: 8,
      distance: "l2",
      storagePath: "/index",
      maxElements: 1000,
      hnswM: 12,
      hnswEfConstruct: 99,
      hnswEfSearch: 77,
      quantization: "none",
      batchSize: 5,
      persistIntervalMs: 30_000,
      backupIntervalMs: 0,
      backupPath: "/elsewhere",
      backupCompression: false,
      maxBackups: 3,
      encryptionKey: key,
      reduction: { enabled: true, method: "umap", target: 2, adaptive: true, minVariance: 0.5, fitAfter: 99 },
    });
    const fields = SETTING_NAMES.filter((name) => name.startsWith("vx-") && name !== "vx-rate-limit");
    expect(
      Object.keys(config).map(
        (field) => `vx-${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      ),
    ).toEqual(fields);
  });

  it("have no schedule of backups for an index in memory without a folder for them, as the library", async () => {
    const inMemory = { "vx-storage-path": ":memory:", "vx-backup-interval": "30m" };
    expect(await configOf(inMemory)).toMatchObject({ backupInterval: 0, backupPath: undefined });
    const withFolder = await configOf({ ...inMemory, "vx-backup-path": "/backups" });
    expect(readConfig(withFolder, true).backupIntervalMs).toBe(30 * 60_000);
  });

  it("with a key say whether it is to be used", async () => {
    const key = { "vx-encryption-key": "k".repeat(32) };
    const unsaid = await configOf(key);
    expect(() => readConfig(unsaid, true)).toThrow("true or false");
    const off = await configOf({ ...key, "vx-encryption-enabled": "off" });
    expect(readConfig(off, true).encryptionKey).toBeUndefined();
  });

  it("come from variables too", async () => {
    const environment = {
      SHOAL_VX_DIMENSION: "3",
      SHOAL_VX_ENCRYPTION_ENABLED: "yes",
      SHOAL_VX_ENCRYPTION_KEY: "secret",
      SHOAL_VX_ENABLE_DIM_REDUCTION: "false",
      SHOAL_VX_DIM_REDUCTION_MIN_VARIANCE: "0.9",
    };
    expect(await configOf({}, environment)).toMatchObject({
      dimension: 3,
      encryptionEnabled: true,
      encryptionKey: "secret",
      enableDimReduction: false,
      dimReductionMinVariance: 0.9,
    });
    expect(readConfig({ distance: "Cosine" }, true).distance).toBe("cosine");
    expect(SWITCHES.has("vx-encryption-enabled")).toBe(true);
    expect(SWITCHES.has("vx-backup-compression")).toBe(false);
  });

  it.each([
    ["vx-dimension", "0"],
    ["vx-dimension", "1.5"],
    ["vx-dimension", "1000000"],
    ["vx-distance", "manhattan"],
    ["vx-max-elements", "-1"],
    ["vx-hnsw-m", "1"],
    ["vx-persist-interval", "soon"],
    ["vx-persist-interval", "-5m"],
    ["vx-backup-interval", "400d"],
    ["vx-backup-compression", "perhaps"],
    ["vx-max-backups", "0"],
    ["vx-dim-reduction-method", "LDA"],
    ["vx-dim-reduction-target", "0"],
    ["vx-dim-reduction-min-variance", "1.1"],
    ["vx-dim-reduction-min-variance", " "],
    ["vx-fit-after", "0"],
    ["vx-rate-limit", "many"],
  ])("refuse --%s %s", async (name, value) => {
    await expect(configOf({ [name]: value })).rejects.toThrow(`--${name} `);
  });
});
