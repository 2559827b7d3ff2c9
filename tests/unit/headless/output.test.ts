/** How the commands write sizes and tables for people. */
import { expect, it, vi } from "vitest";
import { formatBytes, printTable } from "../../../src/headless/commands/output.ts";

it.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [2 ** 20 - 1, "1.0 MiB"],
  [1023.9 * 1024, "1023.9 KiB"],
  [2 ** 30, "1.0 GiB"],
  [2 ** 53, "8192.0 TiB"],
])("%d bytes are written as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it("a table has any number of rows, in columns as wide as their widest cell", () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const rows = Array.from({ length: 200_000 }, (_, row) => [String(row), "x"]);
  printTable(["ID", "NAME"], rows);
  expect(written).toHaveLength(rows.length + 1);
  expect(written[0]).toBe("ID      NAME\n");
  expect(written.at(-1)).toBe("199999  x\n");
});
