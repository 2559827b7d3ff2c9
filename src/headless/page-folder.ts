/**
 * The built page, and the files of it that this program reads for itself too, so that the package has them once. Called
 * by open-web, program and embed-process.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the build puts the page. */
export function pageFolder(): string {
  const isSource = import.meta.url.endsWith(".ts");
  return join(import.meta.dirname, isSource ? "../../dist/web" : "../web");
}

/**
 * An asset of the page by the name that it has in the source: the build's has a hash of its bytes.
 * @throws Error where none is
 */
export async function readPageAsset(name: string): Promise<Uint8Array> {
  const folder = join(pageFolder(), "assets");
  const at = name.lastIndexOf(".");
  const [stem, ending] = [`${name.slice(0, at)}-`, name.slice(at)];
  const built = (await readdir(folder)).find((file) => file.startsWith(stem) && file.endsWith(ending));
  if (built === undefined) throw new Error(`the page has no ${name}: npm run build`);
  return await readFile(join(folder, built));
}
