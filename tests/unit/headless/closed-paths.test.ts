/** Which of the settings close what they name to shares and downloads. */
import { describe, expect, it } from "vitest";
import type { DataFolder } from "../../../src/headless/data-folder.ts";
import { closedPaths } from "../../../src/headless/files/closed-paths.ts";
import { settingsSchema } from "../../../src/headless/settings/settings.ts";

const folder = { path: "/data" } as DataFolder;

describe("what is closed to clients", () => {
  it("is the data folder, the index elsewhere, the certificate's key and the file of settings", () => {
    const settings = settingsSchema.parse({ "vx-storage-path": "/index", "tls-key": "/key.pem" });
    expect(closedPaths(settings, folder, "/shoal.yaml")).toEqual([
      "/data",
      "/index",
      "/key.pem",
      "/shoal.yaml",
    ]);
  });

  it("is the data folder alone where nothing else is named, or the index is in memory", () => {
    expect(closedPaths(settingsSchema.parse({}), folder, undefined)).toEqual(["/data"]);
    const inMemory = settingsSchema.parse({ "vx-storage-path": ":memory:" });
    expect(closedPaths(inMemory, folder, undefined)).toEqual(["/data"]);
  });
});
