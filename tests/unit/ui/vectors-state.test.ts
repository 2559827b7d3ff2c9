/** What the screen of vectors shows when answers come in another order than they were asked for: src/ui/vectors/vectors-state. */
import { expect, test } from "vitest";
import { Client } from "../../../src/client/vx-client.ts";
import { createVectorsState } from "../../../src/ui/vectors/vectors-state.ts";
import { deferred } from "../../deferred.ts";

/** An index that lists one vector, which has the id that is told for each picture, and that gives any. */
function stateOver(idOf: (picture: number) => Promise<number>) {
  let pictures = 0;
  const vx = new Client("http://node.test", {
    async fetch({ url }) {
      const { pathname, searchParams } = new URL(url);
      if (pathname === "/admin/metrics") return Response.json({ vector_count: 1, dimension: 2 });
      const picked = /^\/vectors\/(\d+)$/.exec(pathname)?.[1];
      if (picked !== undefined) return Response.json({ id: Number(picked), metadata: {}, vector: [0, 1] });
      if (!searchParams.has("vectors")) return Response.json({ vectors: [], total: 1 });
      pictures += 1;
      const id = await idOf(pictures);
      return Response.json({ vectors: [{ id, metadata: {}, vector: [1, 0] }], total: 1 });
    },
  });
  return createVectorsState(vx, new AbortController().signal);
}

const hit = (id: number) => [{ id, distance: 0, metadata: {} }];

test("hits of a search that was asked for before another, or before all were cleared, are not shown", async () => {
  const state = stateOver(async () => 1);
  const [first, third] = [deferred<ReturnType<typeof hit>>(), deferred<ReturnType<typeof hit>>()];
  const late = state.find("first", () => first.promise);
  await state.find("second", async () => hit(2));
  first.resolve(hit(1));
  await late;
  expect(state.search.value).toMatchObject({ asked: "second", hits: hit(2) });

  const unwanted = state.find("third", () => third.promise);
  state.clearSearch();
  third.resolve(hit(3));
  await unwanted;
  expect(state.search.value).toBeUndefined();
});

test("hits are asked for again when the picture is drawn anew, as after a deletion, unless another search came", async () => {
  const state = stateOver(async () => 1);
  let found = [...hit(1), ...hit(2)];
  await state.find("like 1", async () => found);
  found = hit(2);
  await state.redraw();
  expect(state.search.value).toMatchObject({ asked: "like 1", hits: hit(2) });

  const [isAsked, late] = [deferred<void>(), deferred<ReturnType<typeof hit>>()];
  let asked = 0;
  await state.find("like 2", () => {
    asked += 1;
    if (asked === 1) return Promise.resolve(hit(2));
    isAsked.resolve();
    return late.promise;
  });
  const drawn = state.redraw();
  await isAsked.promise;
  await state.find("like 3", async () => hit(3));
  late.resolve(hit(4));
  await drawn;
  expect(state.search.value).toMatchObject({ asked: "like 3", hits: hit(3) });
  expect(state.picture.value.state).toBe("drawn");
});

test("a picture that was begun before another does not come in its place", async () => {
  const isAsked = deferred<void>();
  const first = deferred<number>();
  const state = stateOver(async (picture) => {
    if (picture > 1) return picture;
    isAsked.resolve();
    return await first.promise;
  });
  const late = state.redraw();
  await isAsked.promise;
  await state.redraw();
  first.resolve(1);
  await late;
  expect(state.picture.value).toMatchObject({ state: "drawn", picture: { entries: [{ id: 2 }] } });
});

test("an index that is away says why, and is drawn anew when it is back", async () => {
  let isAway = false;
  let pictures = 0;
  const vx = new Client("http://node.test", {
    async fetch({ url }) {
      const { pathname, searchParams } = new URL(url);
      const error = { code: "unavailable", message: "the index's thread was lost" };
      if (isAway) return Response.json({ error }, { status: 503 });
      if (pathname === "/admin/metrics") return Response.json({ vector_count: 1, dimension: 2 });
      if (searchParams.has("vectors")) pictures += 1;
      return Response.json({ vectors: [{ id: 1, metadata: {}, vector: [1, 0] }], total: 1 });
    },
  });
  const state = createVectorsState(vx, new AbortController().signal);
  await state.redraw();
  await state.look();
  const before = pictures;
  isAway = true;
  await expect(state.look()).rejects.toMatchObject({ code: "unavailable" });
  expect(state.away.value).toBe("The index's thread was lost.");
  isAway = false;
  await state.look();
  expect(state.away.value).toBeUndefined();
  expect(pictures).toBeGreaterThan(before);
});

test("an index of an earlier version, which does not tell what it fails at, is shown with its figures", async () => {
  const state = stateOver(async () => 1);
  await state.look();
  expect(state.metrics.value.value).toMatchObject({ vector_count: 1, failures: [] });
});
