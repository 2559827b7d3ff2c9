/** Log lines are JSON that no terminal acts on. */
import { describe, expect, it } from "vitest";
import { createLog, toLogPort } from "../../../src/headless/log.ts";
import { printable } from "../../../src/headless/printable.ts";

const HOSTILE = "a\x1b[2Jb\r\nc\x9bd\u202ee\u2028f\u0000g";

describe("the log", () => {
  it("escapes hostile text, and gives it back to who parses the line", () => {
    const lines: string[] = [];
    const log = createLog("info", (line) => lines.push(line));
    log.info({ name: HOSTILE }, HOSTILE);
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be absent
    expect(lines[0]).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]/);
    expect(lines[0]?.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ name: HOSTILE, msg: HOSTILE });
  });

  it("leaves out what is below its level, and shows errors with their cause", () => {
    const lines: string[] = [];
    const log = toLogPort(
      createLog("warn", (line) => lines.push(line)),
      "part",
    );
    log.info("quiet");
    log.warn("loud", { error: new Error("outer", { cause: new Error("inner") }) });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ part: "part", error: { message: "outer: inner" } });
  });

  it("escapes what is printed for people", () => {
    expect(printable(HOSTILE)).toBe("a\\u001b[2Jb\\u000d\\u000ac\\u009bd\\u202ee\\u2028f\\u0000g");
    expect(printable("café 日本 😀")).toBe("café 日本 😀");
  });
});
