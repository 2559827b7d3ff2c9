/**
 * Writes the types of the package entry `shoal/client` into dist/client: the declarations that tsc made, with what the API's
 * schemas tell written out, so that they need no library beside them. Run by `npm run build`, after tsc.
 */
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isIdentifier, isTypeReferenceNode } from "typescript/unstable/ast/is";
import { API, NodeBuilderFlags, SymbolFlags } from "typescript/unstable/sync";

const root = join(import.meta.dirname, "../..");
const made = join(root, "dist/types/client");
const target = join(root, "dist/client");
const config = join(import.meta.dirname, "tsconfig.json");

/** What an alias stands for, all of it. */
const WRITTEN_OUT = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias;

const IMPORT_OF_API = /import type \{([^}]*)\} from "\.\.\/api\/[^"]*";/g;

/** A type of another module, named within the text of one. */
const IMPORTED = /import\("([^"]*)"\)\.(\w+)(<)?/g;

const api = new API({ cwd: root });
const { checker, program } = api.updateSnapshot({ openProjects: [config] }).getProject(config);
/** A file of the language's own library, from which every type of ours is seen as one of another module. */
const outside = program
  .getSourceFileNames()
  .map((name) => program.getSourceFile(name))
  .find((file) => program.isSourceFileDefaultLibrary(file));
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
      const imported = checker.getSymbolAtPosition(path, names + index);
      yield [type, writtenOut(checker.getAliasedSymbol(imported), [])];
    }
  }
}

/**
 * What a type stands for, with the types that it names written out in their places, and so on. `within`: the types on
 * the way to it. An interface, or a type that holds itself, can't be: its name would stand for nothing in the package.
 */
function writtenOut(symbol, within) {
  const path = [...within, symbol];
  const refuse = (name) => {
    const names = [...path.map((one) => one.name), name].join(" > ");
    throw new Error(
      `${names} can't be written out: make it an alias without parameters that does not name itself`,
    );
  };
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const local = localName(checker.typeToTypeNode(type, outside, WRITTEN_OUT));
  if (local !== undefined) refuse(local);
  return checker
    .typeToString(type, outside, WRITTEN_OUT)
    .replaceAll(IMPORTED, (_, module, name, hasArguments) => {
      const file = program.getSourceFile(join(dirname(outside.fileName), `${module}.ts`));
      const named = checker.getMemberInModuleExports(checker.getSymbolAtLocation(file), name);
      if (hasArguments || path.includes(named)) refuse(name);
      return `(${writtenOut(named, path)})`;
    });
}

/** A name within a type that is neither the library's nor an import, if there is one. */
function localName(node) {
  const name = isTypeReferenceNode(node) && isIdentifier(node.typeName) ? node.typeName.text : undefined;
  if (name !== undefined && checker.resolveName(name, SymbolFlags.Type) === undefined) return name;
  return node.forEachChild(localName);
}
