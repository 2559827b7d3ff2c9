/** Which map is shown when files change while one is drawn: src/ui/map/file-map-state. */
import { expect, test } from "vitest";
import { ShoalClient } from "../../../src/client/client.ts";
import { createFileMapState } from "../../../src/ui/map/file-map-state.ts";

/** A node whose maps are told when the test tells them, in the order they were asked for. */
function stateOfHeldMaps() {
  const held: ((answer: Response) => void)[] = [];
  const client = new ShoalClient("http://node.test", {
    fetch: () => new Promise<Response>((resolve) => held.push(resolve)),
  });
  const state = createFileMapState(client, new AbortController().signal);
  return { state, held };
}

const empty = () => Response.json({ points: [], total: 0 });

test("a map is shown though the files changed while it was drawn, until the next one is there", async () => {
  const { state, held } = stateOfHeldMaps();
  const [first, second] = [state.redrawFor("1 file"), state.redrawFor("2 files")];
  held[0]?.(empty());
  await first;
  expect(state.map.value?.drawnOf).toBe("1 file");
  held[1]?.(empty());
  await second;
  expect(state.map.value?.drawnOf).toBe("2 files");
});

test("a map, or a failure to draw one, that comes after a newer map does not come in its place", async () => {
  const { state, held } = stateOfHeldMaps();
  const late = [state.redrawFor("1 file"), state.redrawFor("2 files")];
  const newest = state.redrawFor("3 files");
  held[2]?.(empty());
  await newest;
  held[0]?.(empty());
  held[1]?.(Response.json({ error: true, code: 409, message: "no index yet" }, { status: 409 }));
  await Promise.all(late);
  expect(state.map.value?.drawnOf).toBe("3 files");
  expect(state.failure.value).toBeUndefined();
});
