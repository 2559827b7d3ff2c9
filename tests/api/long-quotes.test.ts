/** What a refusal says again of what was sent is cut, however long that was. */
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_MESSAGE_CHARS } from "../../src/api/limits.ts";
import { openInProcess } from "./in-process.ts";
import { openVx } from "./open-vx.ts";

const LONG = "x".repeat(5000);

async function openIndex() {
  const vx = await openVx({ dimension: 3 });
  onTestFinished(() => vx.close());
  await vx.index.add(1, [1, 0, 0], { a: 1 });
  const { call } = openInProcess({ vx });
  return async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json" };
    const answer = await call(path, { method: "POST", headers, body: JSON.stringify(body) });
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    return { status: answer.status, ...error };
  };
}

describe("the message of a refusal", () => {
  it("is bounded, whatever a filter or a query names", async () => {
    const post = await openIndex();
    const refusals = [
      ...[`${LONG}(1)`, `a = json_extract('{}', '${LONG}')`].map((filter) =>
        post("/search/hybrid", { vector: [1, 0, 0], filter }),
      ),
      ...[
        `SELECT ${LONG} FROM metadata`,
        `SELECT 1 FROM "${LONG}"."${LONG}"`,
        `SELECT ${LONG}(1) FROM metadata`,
        `SELECT 1 ${LONG} ${LONG}`,
        `SELECT x'00' AS ${LONG} FROM metadata`,
        `WITH ${LONG}(a) AS (SELECT 1, 2) SELECT * FROM ${LONG}`,
      ].map((query) => post("/metadata/query", { query })),
    ];
    for (const { status, code, message } of await Promise.all(refusals)) {
      expect([status, code, message.length]).toEqual([400, "invalid_query", MAX_MESSAGE_CHARS]);
    }
  });

  it("says what is wrong on both sides of what it leaves out", async () => {
    const post = await openIndex();
    const query = `WITH ${LONG}(a) AS (SELECT 1, 2) SELECT * FROM ${LONG}`;
    expect((await post("/metadata/query", { query })).message).toMatch(
      /^table x+…x+ has 2 values for 1 columns$/,
    );
  });

  it("ends at no half of a character", async () => {
    const post = await openIndex();
    for (const before of ["", "x"]) {
      const { message } = await post("/metadata/query", { query: `SELECT "${before}${"🐟".repeat(500)}"` });
      expect(message).toContain("🐟…🐟");
    }
  });
});
