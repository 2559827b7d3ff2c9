/** Which of the ports to the tab that leads gives way where there are too many: src/browser/leader-doors. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askOver } from "../../../src/bridge/asking.ts";
import { MAX_SERVED_PORTS } from "../../../src/bridge/limits.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import type { ToTab } from "../../../src/bridge/tab-messages.ts";
import { LeaderDoors } from "../../../src/browser/leader-doors.ts";

let worker: EventTarget;
const ports: { close(): void }[] = [];
beforeEach(() => {
  vi.stubGlobal("BroadcastChannel", EventTarget);
  worker = Object.assign(new EventTarget(), { startMessages() {} });
  vi.stubGlobal("navigator", { serviceWorker: worker });
});
afterEach(() => {
  vi.unstubAllGlobals();
  for (const port of ports.splice(0)) port.close();
});

/** A tab's end of a port that the service worker has handed over. */
function knock(): FramePort {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const data: ToTab = { type: "serve", tab: "a tab" };
  worker.dispatchEvent(Object.assign(new Event("message"), { data, ports: [port2] }));
  return port1 as FramePort;
}

it("goes on with what a tab has asked for, however many others were opened and closed since", async () => {
  let answer!: (response: Response) => void;
  let taken!: () => void;
  const isTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const answered = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  new LeaderDoors({
    name: "leader",
    answer: () => {
      taken();
      return answered;
    },
    refusal: () => undefined,
    leaderSilent: () => {},
  });
  const asker = await askOver(knock());
  const request = new Request("http://page.test/api/v1/files", { method: "POST" });
  const outcome = asker.request(request, "page").then(({ status }) => status, String);
  await isTaken;

  const first = await askOver(knock());
  for (let tab = 2; tab < MAX_SERVED_PORTS; tab++) await askOver(knock());
  await askOver(knock());
  answer(new Response());
  expect(await outcome).toBe(200);
  expect(await first.ended).toMatchObject({ name: "closed" });
});
