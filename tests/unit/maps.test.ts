/** The maps in the READMEs of the source's folders name files that there are, and so do paths in all that is told of it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Without what others wrote, of which the benchmarks' packages bring much. */
function pathsIn(folder: string): string[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return paths.filter((path) => !path.split("/").includes("node_modules"));
}

function namesIn(folder: string): string[] {
  return pathsIn(folder).map((path) => basename(path).replace(/\..*/, ""));
}

/** What stands between fences that name no language. */
function drawnIn(readme: string): string {
  return [...readFileSync(join(root, readme), "utf8").matchAll(/^```\n(.*?)^```$/gms)].join("\n");
}

const folders = readdirSync(join(root, "src")).filter((name) =>
  existsSync(join(root, "src", name, "README.md")),
);

it.each(folders)("the map of %s", (folder) => {
  const names = [...namesIn(`src/${folder}`), ...namesIn("workers")];
  const named = drawnIn(`src/${folder}/README.md`).match(/\b[a-z0-9]+(-[a-z0-9]+)+\b/g) ?? [];
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});

it("the tables of the API name each file that declares routes", () => {
  const readme = readFileSync(join(root, "src/api/README.md"), "utf8");
  const declaring = pathsIn("src/api").filter(
    (path) =>
      path.endsWith(".ts") && readFileSync(join(root, "src/api", path), "utf8").includes("createRoute("),
  );
  expect(declaring.filter((path) => !readme.includes(`\`${path}\``))).toEqual([]);
});

const paths = ["src", "tests"].flatMap((top) => pathsIn(top).map((path) => `${top}/${path}`));
const PATH = new RegExp(`\`((?:src|tests|${folders.join("|")})/[\\w./*-]+)\``, "g");

/** From the root, from `src` or from where it is told; it may have no ending, or a star. */
function leadsSomewhere(path: string, folder: string): boolean {
  const told = path.replace(/\/$/, "").replaceAll(".", "\\.").replaceAll("*", "[^/]*");
  const pattern = new RegExp(`^(src/|${folder}/)?${told}(\\.[a-z.]+)?$`);
  return paths.some((there) => pattern.test(there));
}

const readmes = ["README.md", "CHANGELOG.md", ...paths.filter((path) => path.endsWith("README.md"))];

it.each(readmes)("the paths that %s names", (file) => {
  const named = [...readFileSync(join(root, file), "utf8").matchAll(PATH)].map(([, path = ""]) => path);
  expect(named.filter((path) => !leadsSomewhere(path, dirname(file)))).toEqual([]);
});
