/** Who has what was shared. */
import { signal } from "@preact/signals";
import { afterAll, expect, test } from "vitest";
import { receiversOf } from "../../../src/ui/state/receivers.ts";

const page = new AbortController();
afterAll(() => page.abort());

const offer = (id: string, whole: string[], begun: string[] = []) => ({
  id,
  peers: [...whole, ...begun],
  complete_peers: whole.length,
});

test("have all of it when they have all of each file, and still when they have gone", () => {
  const shared = signal([{ fileId: "a" }, { fileId: "b" }]);
  const network = signal([offer("a", ["ada"], ["ben"]), offer("of others", ["cy"])]);
  const receivers = receiversOf(shared, network, page.signal);
  expect(receivers.value).toEqual({ whole: [], begun: ["ada", "ben"] });
  network.value = [offer("a", ["ada"]), offer("b", ["ben", "ada"])];
  expect(receivers.value).toEqual({ whole: ["ada"], begun: ["ada", "ben"] });
  network.value = [];
  expect(receivers.value).toEqual({ whole: ["ada"], begun: [] });
  shared.value = [{ fileId: "c" }];
  expect(receivers.value).toEqual({ whole: [], begun: [] });
});

test("have it still when they had it and went while nobody looked", () => {
  const network = signal([offer("a", [])]);
  const receivers = receiversOf(signal([{ fileId: "a" }]), network, page.signal);
  network.value = [offer("a", ["ada"])];
  network.value = [];
  expect(receivers.value.whole).toEqual(["ada"]);
});

test("are nobody as far as an older node tells", () => {
  const receivers = receiversOf(
    signal([{ fileId: "a" }]),
    signal([{ id: "a", peers: ["ada"] }]),
    page.signal,
  );
  expect(receivers.value.whole).toEqual([]);
});
