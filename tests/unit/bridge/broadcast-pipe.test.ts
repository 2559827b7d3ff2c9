/** A port between two tabs over a channel of the origin: what was said before the other end listened, and after. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { BroadcastPipe } from "../../../src/bridge/broadcast-pipe.ts";
import { eventually } from "../../eventually.ts";
import { WatchedChannels } from "./watched-channels.ts";

const channels = new WatchedChannels();
beforeEach(() => channels.watch());
afterEach(() => channels.closeAll());

it("keeps frames until the other end is heard, and then sends each once, and at once", async () => {
  const opener = new BroadcastPipe("a pipe", "opens");
  opener.postMessage("kept");
  const joiner = new BroadcastPipe("a pipe", "joins");
  const heard: unknown[] = [];
  joiner.addEventListener("message", (event) => heard.push((event as MessageEvent).data));
  joiner.postMessage("here");
  await eventually(() => expect(heard).toEqual(["kept"]));
  opener.postMessage("more");
  joiner.postMessage("still here");
  opener.postMessage("last");
  await eventually(() => expect(heard).toContain("last"));
  expect(heard).toEqual(["kept", "more", "last"]);
});
