/** A tab that hosted the node and stands still, as one that the browser has frozen, and the tab that hosts it from then on. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { until } from "../interop/until.ts";
import { OpenPage, PageSite } from "./open-page.ts";

/** Nobody has it. */
const UNKNOWN_ID = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

/**
 * Chromium freezes no tab that a test drives, so the test says what the engine would. The lock is given back with the
 * next microtasks, and nothing runs after them. Nor does it freeze one that is writing, which others would wait for,
 * here for a minute.
 */
const FREEZE = `(async () => {
  await new Promise((resolve) => {
    const opening = indexedDB.open("shoal-records");
    opening.onsuccess = () => {
      const behindOthers = opening.result.transaction("records", "readwrite");
      behindOthers.oncomplete = resolve;
      opening.result.close();
    };
  });
  const { close } = IDBDatabase.prototype;
  window.recordsClosed = new Promise((resolve) => {
    IDBDatabase.prototype.close = function () {
      if (this.name === "shoal-records") resolve();
      close.call(this);
    };
  });
  document.dispatchEvent(new Event("freeze"));
  for (let turn = 0; turn < 10; turn++) await undefined;
  debugger;
})()`;

/** The page is not frozen in fact, so it goes on at once with what it would go on with when it is woken up. */
const FREEZE_AT_START = `
  window.dialled = [];
  for (const name of ["WebSocket", "RTCPeerConnection"]) {
    window[name] = class extends window[name] {
      constructor(...args) {
        super(...args);
        window.dialled.push(name);
      }
    };
  }
  const { open } = IDBFactory.prototype;
  const { close } = IDBDatabase.prototype;
  window.recordsClosed = new Promise((resolve) => {
    IDBDatabase.prototype.close = function () {
      if (this.name === "shoal-records") resolve();
      close.call(this);
    };
  });
  IDBFactory.prototype.open = function (name, ...args) {
    if (name === "shoal-records") document.dispatchEvent(new Event("freeze"));
    return open.call(this, name, ...args);
  };
`;

let site: PageSite;
let first: OpenPage;
let second: OpenPage;
beforeAll(async () => {
  site = await PageSite.start({ flags: ["--search"] });
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(async () => {
  first = await site.open();
  second = new OpenPage(first.context, await first.context.newPage());
  await second.page.goto(site.host.pageUrl);
  await second.ready();
});
afterEach(() => first[Symbol.asyncDispose]());

/** The first tab is frozen until `meanwhile` has ended. */
async function frozen(meanwhile: () => Promise<unknown>): Promise<void> {
  const devTools = await first.context.newCDPSession(first.page);
  await devTools.send("Debugger.enable");
  const stood = new Promise((resolve) => devTools.once("Debugger.paused", resolve));
  const evaluated = first.page.evaluate(FREEZE);
  await stood;
  try {
    await meanwhile();
  } finally {
    await devTools.send("Debugger.disable");
    await evaluated;
  }
}

it("writes nothing into the records that are another tab's", async () => {
  const { transfer_id: id } = await first.api<{ transfer_id: string }>("transfers/download", "POST", {
    file_id: UNKNOWN_ID,
  });
  await frozen(() =>
    until("the second tab has cancelled the download", async () => {
      const { status } = await second.call(`/api/v1/transfers/${id}/cancel`, "POST");
      return status === 200;
    }),
  );
  await first.page.evaluate("recordsClosed");
  const kept = await second.page.evaluate(
    (id) =>
      new Promise((resolve) => {
        const opening = indexedDB.open("shoal-records");
        opening.onsuccess = () => {
          const records = opening.result.transaction("records").objectStore("records");
          const found = records.get(["transfers", id]);
          found.onsuccess = () => resolve(JSON.parse(found.result).status);
        };
      }),
    id,
  );
  expect(kept).toBe("cancelled");
});

it("lets go of the vectors that files are found by", async () => {
  await first.shareRandom(1000);
  const holder = () =>
    second.page.evaluate(async () => {
      const { held = [] } = await navigator.locks.query();
      return held.find(({ name }) => name?.startsWith("shoal index .shoal/search/"))?.clientId;
    });
  const former = await until("the vectors are open", holder, 60_000);
  await frozen(() => until("another tab may have them", async () => (await holder()) !== former));
});

it("lets go of its records, and reaches nobody, where its node was only starting", async () => {
  const late = new OpenPage(first.context, await first.context.newPage());
  await late.page.addInitScript(FREEZE_AT_START);
  await Promise.all([first.page.close(), second.page.close()]);
  await late.page.goto(site.host.pageUrl);
  await late.page.evaluate("recordsClosed");
  expect(await late.page.evaluate("dialled")).toEqual([]);
});
