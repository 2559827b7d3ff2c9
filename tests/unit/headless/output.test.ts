/** How the commands write sizes for people. */
import { expect, it } from "vitest";
import { formatBytes } from "../../../src/headless/commands/output.ts";

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
