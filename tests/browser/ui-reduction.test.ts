/** The screen of vectors over an index that reduces its vectors, which a headless node may be told to do. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client } from "../../src/client/vx-client.ts";
import { axeViolations } from "./ui-checks.ts";
import { UiSession } from "./ui-session.ts";

const DIMENSION = 16;
const FIT_AFTER = 64;

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start([
    ...["--vx-dimension", String(DIMENSION), "--vx-storage-path", ":memory:"],
    ...["--vx-enable-dim-reduction", "--vx-dim-reduction-target", "4", "--vx-fit-after", String(FIT_AFTER)],
  ]);
});
afterAll(() => session[Symbol.asyncDispose]());

it("says by how many numbers vectors are searched, and fits the model anew", async () => {
  const { url, apiKey } = session.own;
  const index = new Client(url, { apiKey });
  const page = await session.open("#/vectors");
  await page.locator(".index-figures").waitFor();
  expect(await page.getByRole("heading", { name: "Reduction" }).count()).toBe(0);

  const vectors = Array.from({ length: FIT_AFTER + 1 }, (_, id) => ({
    id,
    vector: Array.from({ length: DIMENSION }, (_, at) => Math.sin(id * (at + 1)) + 0.1),
  }));
  await index.batchAdd(vectors);
  await page.getByText("A model makes 16 numbers 4.").waitFor();
  await page.getByRole("button", { name: "Fit to what is there now" }).click();
  await page.getByText(`Fitted to ${FIT_AFTER + 1} vectors: searched by 4 numbers each.`).waitFor();
  expect(await index.metrics()).toMatchObject({ fits_total: 2, reduced_dimension: 4 });
  expect(await axeViolations(page)).toEqual([]);
});

it("says why a fit failed, of a node that has gone, and leaves no other error", async () => {
  const page = await session.open("#/vectors");
  const lost: Error[] = [];
  page.on("pageerror", (error) => lost.push(error));
  const fit = page.getByRole("button", { name: "Fit to what is there now" });
  await fit.waitFor();
  await page.route("**/admin/**", (route) => route.abort());
  const lookedAfter = page.waitForEvent("requestfailed", (request) =>
    request.url().endsWith("/admin/metrics"),
  );
  await fit.click();
  await page.locator(".reduction-panel").getByRole("alert").waitFor();
  await lookedAfter;
  await page.evaluate(() => new Promise((told) => setTimeout(told)));
  page.removeAllListeners("pageerror");
  expect(lost).toEqual([]);
});
