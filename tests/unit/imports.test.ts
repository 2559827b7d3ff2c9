/**
 * Folders of the source import what the last column of the table in src/README.md says. The compiler alone does not hold it: it
 * lets a folder import whatever its references refer to in turn.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const src = join(import.meta.dirname, "../../src");

interface Allowed {
  folders: string[];
  /** Those of which it takes types alone. */
  ofTypes: string[];
}

const rows = [
  ...readFileSync(join(src, "README.md"), "utf8").matchAll(/^\| `(\S+)` +\|.*\| (.*?) +\|$/gm),
].map(([, folder = "", said = ""]) => ({ folder, said }));

function allowedOf(row: number): Allowed {
  const { folder = "", said = "" } = rows[row] ?? {};
  const named = [...said.matchAll(/(types of )?`(\w+)`/g)].map(([, type, name = ""]) => ({ type, name }));
  const names = named.map(({ name }) => name);
  const folders = rows.map((other) => other.folder);
  if (said === "what they host") return { folders, ofTypes: [] };
  if (said === "all of the above") return { folders: folders.slice(0, row), ofTypes: [] };
  if (said.startsWith("all but "))
    return { folders: folders.filter((name) => !names.includes(name)), ofTypes: [] };
  if (said.startsWith("+ ")) return { folders: [...allowedOf(row - 1).folders, ...names], ofTypes: [] };
  expect([said.startsWith("nothing of ours"), names.length > 0], folder).toContain(true);
  return { folders: names, ofTypes: named.flatMap(({ type, name }) => (type === undefined ? [] : [name])) };
}

/** Of each file the folders that it imports something of, beside its own. */
function* importsOf(folder: string) {
  for (const file of readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file)) continue;
    const text = readFileSync(join(src, folder, file), "utf8");
    for (const [, type, from, later] of text.matchAll(
      /(?<=^|\n)(?:import|export)( type)? [^;'"]*?from "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/g,
    )) {
      const path = relative(src, join(src, folder, dirname(file), from ?? later ?? ""));
      const [name = ""] = /^(\.\.\/)?[^/]+/.exec(path) ?? [];
      if (name !== folder) yield { file, name, isType: type !== undefined };
    }
  }
}

it.each(rows.map(({ folder }, row) => [folder, row] as const))("%s", (folder, row) => {
  const { folders, ofTypes } = allowedOf(row);
  const others = [...importsOf(folder)].filter(
    ({ name, isType }) => !folders.includes(name) || (ofTypes.includes(name) && !isType),
  );
  expect(others).toEqual([]);
});
