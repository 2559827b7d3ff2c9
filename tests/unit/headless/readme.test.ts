/** The README names what there is: commands with their flags, variables and routes; and each command there is. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { expect, it, onTestFinished } from "vitest";
import { gatewayRoutes } from "../../../src/api/gateway.ts";
import { createProgram } from "../../../src/headless/command-line.ts";
import { variableName } from "../../../src/headless/settings/load-settings.ts";
import { SETTING_NAMES } from "../../../src/headless/settings/settings.ts";
import { openInProcess } from "../../api/in-process.ts";
import { openVx } from "../../api/open-vx.ts";

const text = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
const { commands } = createProgram();

const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, code = ""]) => ({
  language,
  code,
}));
const inline = [...text.replace(/^```.*?^```/gms, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
/** Of a shell: without comments, continued lines as one. */
const shellLines = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ code }) => code.replaceAll("\\\n", "").split("\n"))
  .map((line) => line.replace(/ # .*/, ""));

function flagsOf(command: Command | undefined): string[] {
  return command?.options.flatMap(({ long }) => long ?? []) ?? [];
}

/** What follows `shoal` up to the end of the command. */
function calls(code: string): string[] {
  return [...code.matchAll(/(?:^|[\s(])shoal ([^|&)\n]+)/g)].map(([, words = ""]) => words.trim());
}

it("calls commands that there are, with flags that they take", () => {
  const given = [...shellLines, ...inline].flatMap(calls);
  expect(given.length).toBeGreaterThan(15);
  for (const words of given) {
    const [name = "", ...rest] = words.split(/\s+/);
    const command = commands.find((one) => one.name() === (name.startsWith("-") ? "start" : name));
    expect(command, `shoal ${words}`).toBeDefined();
    const flags = [name, ...rest].filter((word) => word.startsWith("--"));
    expect([...flagsOf(command), "--help"], `shoal ${words}`).toEqual(expect.arrayContaining(flags));
  }
});

it("names flags and variables that there are", () => {
  const known = new Set([...commands.flatMap(flagsOf), "--help"]);
  const named = inline.flatMap((code) => code.match(/^--[a-z][a-z-]*[a-z](?=$| )/g) ?? []);
  expect(named.filter((flag) => !known.has(flag))).toEqual([]);
  const variables = new Set([
    ...SETTING_NAMES.map(variableName),
    "SHOAL_URL",
    "SHOAL_API_KEY",
    "SHOAL_COMMAND",
  ]);
  expect((text.match(/SHOAL_\w+/g) ?? []).filter((name) => !variables.has(name))).toEqual([]);
});

it("names every command", () => {
  const unnamed = commands.map((command) => command.name()).filter((name) => !text.includes(name));
  expect(unnamed).toEqual([]);
});

it("names routes that there are", async () => {
  const vx = await openVx();
  onTestFinished(vx.close);
  const { call } = openInProcess({ gateway: gatewayRoutes, vx });
  const { paths } = (await (await call("/api/v1/openapi.json")).json()) as { paths: Record<string, object> };
  // The page's host has these.
  const known = new Set(["/", "/shoal.json", "/exchange/", "/api/v1/openapi.json", "/api/v1/docs"]);
  for (const path of Object.keys(paths)) known.add(path).add(path.replace("/api/v1", ""));
  const named = inline.flatMap((code) => code.match(/^(?:[A-Z]+ )?(\/\S*)$/)?.slice(1) ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !known.has(path))).toEqual([]);
  const asked = shellLines.flatMap((line) => line.match(/(?<=\$API)\/\S+/g) ?? []);
  const spelt = asked.map((path) => path.replace(/baf(?:yb|kr)ei\.\.\./, "{file_id}"));
  expect(spelt.filter((path) => !known.has(path))).toEqual([]);
});
