/**
 * Makes a JavaScript function one that a WebAssembly table takes, by a module of a few bytes that imports and
 * exports it. Called by the SQLite engine. (WebAssembly.Function would do it, but no released engine has it.)
 */

const types: Record<string, number> = { i: 0x7f, I: 0x7e };

/** By what functions take and give: compiled once each. */
const modules = new Map<string, WebAssembly.Module>();

/**
 * The module, section by section:
 *
 * | bytes | what |
 * |---|---|
 * | 00 61 73 6d 01 00 00 00 | magic and version |
 * | 01 n 01 60 p.. r.. | types: one function |
 * | 02 07 01 01 61 01 61 00 00 | imports: "a"."a", that function |
 * | 07 05 01 01 61 00 00 | exports: "a", that function |
 */
export function wrapForTable(
  callback: (...args: number[]) => number | undefined,
  parameters: string,
  hasResult: boolean,
): unknown {
  const signature = `${parameters}:${hasResult}`;
  const module = modules.get(signature) ?? compile(parameters, hasResult);
  modules.set(signature, module);
  return new WebAssembly.Instance(module, { a: { a: callback } }).exports.a;
}

function compile(parameters: string, hasResult: boolean): WebAssembly.Module {
  const inputs = [...parameters].map((letter) => types[letter] as number);
  const results = hasResult ? [0x7f] : [];
  const type = [0x60, inputs.length, ...inputs, results.length, ...results];
  const bytes = Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, type.length + 1, 0x01, ...type],
    ...[0x02, 0x07, 0x01, 0x01, 0x61, 0x01, 0x61, 0x00, 0x00],
    ...[0x07, 0x05, 0x01, 0x01, 0x61, 0x00, 0x00],
  );
  return new WebAssembly.Module(bytes);
}
