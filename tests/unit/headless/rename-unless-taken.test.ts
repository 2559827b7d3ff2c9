/** Files that get their name where the file system has no hard links. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { renameUnlessTaken } from "../../../src/headless/files/rename-unless-taken.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { refuse, refuseLinks } from "./without-links.ts";

describe("on a file system without hard links a file", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await temporaryFolder();
    refuseLinks();
    await writeFile(join(folder, "whole.part"), "whole");
  });

  it("gets its name, unless another has it", async () => {
    await renameUnlessTaken(join(folder, "whole.part"), join(folder, "a"));
    expect(await readFile(join(folder, "a"), "utf8")).toBe("whole");
    await writeFile(join(folder, "other.part"), "other");
    const taking = renameUnlessTaken(join(folder, "other.part"), join(folder, "a"));
    await expect(taking).rejects.toMatchObject({ code: "EEXIST" });
    expect(await readFile(join(folder, "a"), "utf8")).toBe("whole");
  });

  it("that can't get its name leaves nothing there", async () => {
    refuse("rename", "EIO");
    const naming = renameUnlessTaken(join(folder, "whole.part"), join(folder, "a"));
    await expect(naming).rejects.toMatchObject({ code: "EIO" });
    expect(await readdir(folder)).toEqual(["whole.part"]);
  });
});
