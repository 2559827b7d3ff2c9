/**
 * Writes the types of the package entry `shoal/client` into dist/client: the declarations that tsc made, with what the API's
 * schemas tell written out, so that they need no library beside them. Run by `npm run build`, after tsc.
 */
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { API, NodeBuilderFlags } from "typescript/unstable/sync";

const root = join(import.meta.dirname, "../..");
const made = join(root, "dist/types/client");
const target = join(root, "dist/client");
const config = join(import.meta.dirname, "tsconfig.json");

/** What an alias stands for, all of it. */
const WRITTEN_OUT = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias;

const IMPORT_OF_API = /import type \{([^}]*)\} from "\.\.\/api\/[^"]*";/g;

const api = new API({ cwd: root });
const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
const answers = new Map();

await rm(target, { recursive: true, force: true });
await mkdir(target);
for (const name of (await readdir(import.meta.dirname)).filter((file) => file.endsWith(".ts"))) {
  const source = join(import.meta.dirname, name);
  for (const [type, text] of typesOfApi(source, await readFile(source, "utf8"))) answers.set(type, text);
  const declared = name.replace(".ts", ".d.ts");
  const declarations = await readFile(join(made, declared), "utf8");
  const alone = declarations.replaceAll(IMPORT_OF_API, 'import type {$1} from "./answers.ts";');
  await writeFile(join(target, declared), alone);
}
api.close();
const lines = [...answers].sort().map(([type, text]) => `export type ${type} = ${text};\n`);
await writeFile(join(target, "answers.d.ts"), lines.join(""));
await appendFile(join(target, "package.d.ts"), 'export type * from "./answers.ts";\n');

/** Names and contents of the types that a source file takes from the API. */
function* typesOfApi(path, source) {
  for (const found of source.matchAll(IMPORT_OF_API)) {
    const names = found.index + found[0].indexOf("{") + 1;
    for (const { 0: type, index } of found[1].matchAll(/\w+/g)) {
      const imported = project.checker.getSymbolAtPosition(path, names + index);
      const declared = project.checker.getDeclaredTypeOfSymbol(project.checker.getAliasedSymbol(imported));
      yield [type, project.checker.typeToString(declared, undefined, WRITTEN_OUT)];
    }
  }
}
