/** What the screens make of answers that come late, in another order, or not at all, and of wishes that come twice meanwhile. */
import type { Page, Route } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "../../src/client/vx-client.ts";
import { PHONE, UiSession } from "./ui-session.ts";

let session: UiSession;
let index: Client;
beforeAll(async () => {
  session = await UiSession.start(["--vx-dimension", "3"]);
  index = new Client(session.own.url, { apiKey: session.own.apiKey });
});
afterAll(() => session[Symbol.asyncDispose]());

/** Holds the next request for `path` back; gives a function that waits for it. */
async function heldBack(page: Page, path: string, method: string): Promise<() => Promise<Route>> {
  let hold = (_: Route) => {};
  const held = new Promise<Route>((resolve) => {
    hold = resolve;
  });
  let isHeld = false;
  await page.route(path, async (route) => {
    if (isHeld || route.request().method() !== method) return await route.fallback();
    isHeld = true;
    hold(route);
  });
  return () => held;
}

/** Settles when the page has drawn what came of an answer that it has. */
async function answered(page: Page, route: Route, answer: () => Promise<void>): Promise<void> {
  const response = page.waitForResponse((one) => one.request() === route.request());
  await answer();
  await (await response).finished();
  await page.evaluate(() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn))));
}

describe("the screen of vectors", () => {
  it("puts back what was there when a vector was deleted, and tells of one that took its place", async () => {
    await index.add(1, [1, 0, 0], { title: "first" });
    const page = await session.open("#/vectors");
    const picked = page.getByRole("article", { name: "Vector 1" });
    await page.getByLabel("Vector, or the id of one").fill("1");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator(".hit-list li button").first().click();
    await picked.getByText("first").waitFor();

    await index.add(1, [0, 1, 0], { title: "second" });
    await picked.getByRole("button", { name: "Delete this vector" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(() => index.get(1))
      .toEqual({ id: 1, vector: [0, 1, 0], metadata: { title: "second" } });

    await page.locator(".hit-list li button").first().click();
    await picked.getByText("second").waitFor();
    await page.getByText("By hand, one at a time").click();
    const form = page.locator(".add-vectors-by-hand form");
    await form.getByLabel("Id").fill("1");
    await form.getByLabel("Vector").fill("0 0 1");
    await form.getByLabel("Metadata, if any").fill('{"title": "third"}');
    await form.getByLabel("Metadata, if any").press("Control+Enter");
    await picked.getByText("third").waitFor();
  });

  it("shows rows of the query that was asked last", async () => {
    await index.add(1, [1, 0, 0], { title: "first" });
    const page = await session.open("#/vectors");
    const first = await heldBack(page, "**/metadata/query", "POST");
    await page.getByRole("button", { name: "As JSON" }).click();
    const route = await first();
    await page.getByRole("button", { name: "Count by value" }).click();
    const rows = page.getByRole("region", { name: "Rows" });
    await rows.getByRole("columnheader", { name: "vectors" }).waitFor();
    await answered(page, route, () => route.continue());
    expect(await rows.getByRole("columnheader", { name: "vectors" }).count()).toBe(1);
  });

  it("does not say that nothing was added where no answer came", async () => {
    const page = await session.open("#/vectors");
    await page.route("**/vectors/batch", (route) => route.abort());
    const file = { name: "one.json", mimeType: "application/json", buffer: Buffer.from("[]") };
    await page.getByLabel("File of vectors").setInputFiles(file);
    await page.getByRole("alert").filter({ hasText: "how much of it was added is not known" }).waitFor();
  });

  it("goes on with a drag of its picture during which the figures come anew", async () => {
    await index.add(2, [0, 1, 0]);
    const page = await session.open("#/vectors");
    const plane = page.getByRole("application", { name: /principal components/ });
    const drawn = () => plane.locator("canvas").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
    const held = await heldBack(page, "**/admin/metrics", "GET");
    await plane.hover();
    await page.mouse.down();
    const route = await held();
    await answered(page, route, () => route.continue());
    const before = await drawn();
    const { x, y } = (await plane.boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 20, y + 20);
    await expect.poll(drawn).not.toBe(before);
    await page.mouse.up();
  });

  it("tells of what failed after its question was closed", async () => {
    const page = await session.open("#/vectors");
    await page.getByRole("button", { name: "Back up now" }).click();
    await page.getByText(/^Backup written/).waitFor();
    const held = await heldBack(page, "**/admin/backups/**", "DELETE");
    await page.getByRole("button", { name: /^Delete vx-/ }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this backup?" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    const route = await held();
    expect(await dialog.getByRole("button", { name: "Keep it" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await route.fulfill({
      status: 409,
      json: { error: { code: "conflict", message: "another goes on from it" } },
    });
    await page.getByRole("alert").filter({ hasText: "Another goes on from it." }).waitFor();
  });
});

it("an example's answer that comes when another example is shown is not taken for its answer", async () => {
  const page = await session.open("#/api");
  const held = await heldBack(page, "**/api/v1/files?limit=5", "GET");
  await page.getByRole("button", { name: "Files here" }).click();
  await page.getByRole("button", { name: "Run" }).click();
  const route = await held();
  await page.getByRole("button", { name: "Files in the swarm" }).click();
  await answered(page, route, () => route.continue());
  expect(await page.getByText("200 OK").count()).toBe(0);
});

it("a map that can't be drawn anew says so beside the one that is there", async () => {
  const page = await session.open("#/files");
  let indexed = 1;
  const point = {
    file_id: "bafyone",
    x: 0,
    y: 0,
    name: "one.txt",
    kind: "text",
    size: 1,
    local: true,
    holders: 0,
  };
  await page.route("**/api/v1/search", (route) =>
    route.fulfill({ json: { state: "ready", indexed, pending: 0, problem: null } }),
  );
  await page.route("**/files/map", (route) =>
    indexed === 1
      ? route.fulfill({ json: { points: [point], total: 1 } })
      : route.fulfill({ status: 500, json: { error: true, code: 500, message: "the map is out of order" } }),
  );
  await page.evaluate(() => {
    location.hash = "#/map";
  });
  await page.getByRole("application").waitFor();
  indexed = 2;
  await page.getByRole("alert").filter({ hasText: "The map is out of order." }).waitFor();
  expect(await page.getByRole("application").count()).toBe(1);
});

it("a map that is drawn anew names no point that the pointer is not on", async () => {
  const page = await session.open("#/files");
  const point = { kind: "text", size: 1, local: true, holders: 0 };
  const points = [{ ...point, file_id: "bafyone", name: "one.txt", x: 0, y: 0 }];
  await page.route("**/api/v1/search", (route) =>
    route.fulfill({ json: { state: "ready", indexed: points.length, pending: 0, problem: null } }),
  );
  await page.route("**/files/map", (route) =>
    route.fulfill({ json: { points: [...points].reverse(), total: points.length } }),
  );
  await page.evaluate(() => {
    location.hash = "#/map";
  });
  const plane = page.getByRole("application");
  const tip = page.locator(".scatter-tip");
  // The only point stands in the middle of what the buttons at the foot leave free.
  const { width, height } = (await plane.boundingBox()) ?? { width: 0, height: 0 };
  await expect
    .poll(async () => {
      await plane.hover({ position: { x: width / 2, y: height / 2 - 20 } });
      await plane.hover({ position: { x: width / 2 + 1, y: height / 2 - 20 } });
      return await tip.allTextContents();
    })
    .toEqual([expect.stringContaining("one.txt")]);
  points.push({ ...point, file_id: "bafytwo", name: "two.txt", x: 5, y: 5 });
  await page.locator(".screen-head").getByText("2 files").waitFor();
  expect(await tip.count()).toBe(0);
});

describe("the settings", () => {
  it("that could not be had are asked for again by a button", async () => {
    const page = await session.open("#/files");
    const failure = { status: 500, json: { error: true, code: 500, message: "the disk fails" } };
    await page.route("**/api/v1/settings", (route) => route.fulfill(failure), { times: 1 });
    await page.evaluate(() => {
      location.hash = "#/settings";
    });
    await page.getByText("The disk fails.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByLabel("Most upload, MB/s").waitFor();
  });

  it("add one webhook though Enter was pressed twice", async () => {
    const page = await session.open("#/settings");
    const held = await heldBack(page, "**/node/webhooks", "POST");
    let asked = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/node/webhooks")) asked += 1;
    });
    const address = page.getByLabel("Tell this address");
    await address.fill("https://hooks.example/twice");
    await address.press("Enter");
    const route = await held();
    await address.press("Enter");
    await route.continue();
    await page.getByRole("button", { name: "I have kept it" }).click();
    expect(asked).toBe(1);
  });

  it("keep the address of the next webhook that is typed while one is added", async () => {
    const page = await session.open("#/settings");
    const held = await heldBack(page, "**/node/webhooks", "POST");
    const address = page.getByLabel("Tell this address");
    await address.fill("https://127.0.0.1/first");
    await address.press("Enter");
    const route = await held();
    await address.fill("https://127.0.0.1/next");
    const json = { id: "1", url: "https://127.0.0.1/first", events: ["file_shared"], secret: "whsec_1" };
    await answered(page, route, () => route.fulfill({ status: 201, json }));
    await page.getByRole("button", { name: "I have kept it" }).click();
    expect(await address.inputValue()).toBe("https://127.0.0.1/next");
  });

  it("stay what they are to the byte where Enter is pressed in a field that nobody changed", async () => {
    const maxStorage = async () => {
      const headers = { authorization: `Bearer ${session.own.apiKey}` };
      const answer = await fetch(`${session.own.url}/api/v1/settings`, { headers });
      return ((await answer.json()) as { max_storage: number }).max_storage;
    };
    const before = await maxStorage();
    const page = await session.open("#/settings");
    await page.getByLabel("Most room to take, GB").press("Enter");
    await page.getByLabel("Most upload, MB/s").fill("5");
    await page.getByLabel("Most upload, MB/s").press("Enter");
    await page.getByText("Most upload, MB/s: saved.").waitFor();
    expect(await maxStorage()).toBe(before);
  });
});

it("the address of the next peer that is typed while one is connected to stays, and no error of the former stands at it", async () => {
  const page = await session.open("#/peers");
  const address = page.getByLabel("Connect to a peer");
  const answers = [
    { status: 200, json: { id: "12D3", address: null, name: null } },
    { status: 502, json: { error: true, code: 502, message: "nobody there" } },
  ];
  for (const [at, answer] of answers.entries()) {
    const held = await heldBack(page, "**/node/peers", "POST");
    await address.fill(`/ip4/127.0.0.1/tcp/${at + 1}`);
    await address.press("Enter");
    const route = await held();
    await address.fill("/ip4/127.0.0.1/tcp/9");
    await answered(page, route, () => route.fulfill(answer));
    await page.getByRole("button", { name: "Connect", exact: true }).waitFor();
    expect(await address.inputValue()).toBe("/ip4/127.0.0.1/tcp/9");
    expect(await page.getByText("Is that peer running").count()).toBe(0);
  }
});

it("a new link to the same file is dialled where it has other addresses", async () => {
  const link = (port: number) =>
    `#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e?name=a.txt&at=/ip4/127.0.0.1/tcp/${port}`;
  const page = await session.open(link(1));
  await page.getByText("Who sent the link does not answer just now.").waitFor();
  const dialled = page.waitForRequest(
    (request) => request.url().endsWith("/node/peers") && (request.postData() ?? "").includes("/tcp/2"),
  );
  await page.evaluate((link) => {
    location.hash = link;
  }, link(2));
  await dialled;
});

it("who sent a link is dialled anew once another tab runs the node, which does not know them", async () => {
  const page = await session.open(
    "#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e?name=a.txt&at=/ip4/127.0.0.1/tcp/4",
  );
  await page.getByText("Who sent the link does not answer just now.").waitFor();
  const dialled = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/node/peers"),
  );
  await page.evaluate(() => window.uiHost.setHosting({ state: "starting", step: "Looking for a tab" }));
  await page.getByText("Looking for a tab…").waitFor();
  await page.evaluate(() => window.uiHost.setHosting({ state: "running", inThisTab: true }));
  await dialled;
});

it("a device without a network does not blame who sent a link, who is dialled anew once it has one", async () => {
  const page = await session.open("#/files");
  const haveNetwork = (isOnline: boolean) =>
    page.evaluate((isOnline) => {
      Object.defineProperty(navigator, "onLine", { value: isOnline, configurable: true });
      dispatchEvent(new Event(isOnline ? "online" : "offline"));
    }, isOnline);
  await haveNetwork(false);
  await page.evaluate(() => {
    location.hash =
      "#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e?name=a.txt&at=/ip4/127.0.0.1/tcp/5";
  });
  await page.getByText("This device is offline").waitFor();
  const status = page.locator(".status-line").getByRole("status");
  expect(await status.textContent()).toBe("Offline");
  expect(await page.getByText("Their page may be closed").count()).toBe(0);
  const dialled = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/node/peers"),
  );
  await haveNetwork(true);
  await dialled;
  expect(await status.textContent()).toBe("Looking for peers");
  await page.getByText("Their page may be closed").waitFor();
});

it("who sent a link and answered is told of, though the list of what peers offer can't be had", async () => {
  const page = await session.open("#/files");
  let isConnected = false;
  await page.route("**/api/v1/node/peers", async (route) => {
    if (route.request().method() !== "POST") return await route.fallback();
    isConnected = true;
    await route.fulfill({ json: { id: "12D3KooWother", address: "127.0.0.1:1" } });
  });
  await page.route("**/api/v1/files/network", (route) =>
    route.fulfill({ status: 500, json: { error: true, code: 500, message: "the disk fails" } }),
  );
  const refused = page.waitForResponse((one) => one.url().endsWith("/files/network") && isConnected);
  await page.evaluate(() => {
    location.hash =
      "#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e?name=a.txt&at=/ip4/127.0.0.1/tcp/3";
  });
  const told = page.getByText("Connected to who sent the link.");
  await told.waitFor();
  await (await refused).finished();
  await page.evaluate(() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn))));
  expect(await told.count()).toBe(1);
});

it("a tap beside a dialog closes it, and does nothing to what is beneath", async () => {
  const page = await session.open("#/files", PHONE);
  await page.evaluate(() => window.uiHost.handOver([new File(["x"], "a.txt")]));
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  const beneath = await page.getByRole("link", { name: "Network" }).first().boundingBox();
  if (beneath === null) throw new Error("The bar of a phone is missing");
  await page.touchscreen.tap(beneath.x + beneath.width / 2, beneath.y + beneath.height / 2);
  await dialog.waitFor({ state: "detached" });
  await page.evaluate(() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn))));
  expect(new URL(page.url()).hash).toBe("#/files");
});

it("keys of the browser's own are left to it by what takes keys", async () => {
  await index.add(1, [1, 0, 0]);
  for (const fragment of ["#/vectors", "#/transfers"]) {
    const page = await session.open(fragment);
    const drawing = page.getByRole("application");
    await drawing.waitFor();
    const isLeft = await drawing.evaluate((element) =>
      [
        { key: "ArrowLeft", altKey: true },
        { key: "+", ctrlKey: true },
        { key: "Home", metaKey: true },
      ].map((init) =>
        element.dispatchEvent(new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true })),
      ),
    );
    expect(isLeft).toEqual([true, true, true]);
  }
});
