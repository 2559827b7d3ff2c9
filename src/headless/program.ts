/**
 * What this program is: its version and the files that belong to it. Called by what opens the API and the network, and by the
 * command line. Paths hold for the source (src/headless) as for the bundle (dist/headless, dist/chunks).
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { DocsAssetName } from "../api/ports.ts";
import { hasCode } from "./files/disk-errors.ts";
import { pageFolder } from "./page-folder.ts";

export function programVersion(): string {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return String(manifest.version);
}

/** A file of swagger-ui-dist: the build puts them into the page. */
export async function readDocsAsset(name: DocsAssetName): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(join(pageFolder(), "docs", name)));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    const installed = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
    return new Uint8Array(await readFile(installed));
  }
}
