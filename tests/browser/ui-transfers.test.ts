/** Network, the screen of a link, transfers and peers: one file on its way from another person's node, slowly. */
import { randomBytes } from "node:crypto";
import { base16 } from "multiformats/bases/base16";
import { CID } from "multiformats/cid";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ROWS_A_PAGE } from "../../src/ui/limits.ts";
import type { Transfer } from "../../src/ui/state/entries.ts";
import { deferred } from "../deferred.ts";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import {
  axeViolations,
  boxOf,
  isFocused,
  showAnew,
  sidewaysPixels,
  smallTargets,
  untilTold,
} from "./ui-checks.ts";
import { PHONE, UiSession } from "./ui-session.ts";

const FILM_BYTES = 24 * 1024 * 1024;
/** At which it is on its way as long as a test needs that. */
const BYTES_A_SECOND = 1024 * 1024;
/** Of one word, which must make no screen wider. */
const OTHER_NAME = "Donaudampfschifffahrtsgesellschaftskapitänskajütenlaptop";

let session: UiSession;
let other: ShoalProcess;
let filmId: string;
beforeAll(async () => {
  session = await UiSession.start();
  other = await session.startOther(["--name", OTHER_NAME, "--max-upload", String(BYTES_A_SECOND)]);
  const film = await other.client.upload(randomBytes(FILM_BYTES), { name: "film.mp4" });
  filmId = film.file_id;
  await other.client.upload(new TextEncoder().encode("a small note"), { name: "Grüße.txt" });
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

/** The rest of what is on its way comes at once, until the test is over. */
async function letCome(): Promise<void> {
  onTestFinished(async () => {
    await other.client.changeSettings({ max_upload: BYTES_A_SECOND });
  });
  await other.client.changeSettings({ max_upload: null });
}

describe("from the network to a file", () => {
  test("what others offer is searched as one types, and got with one click", async () => {
    const page = await session.open("#/network");
    await page.getByRole("button", { name: "Get film.mp4" }).waitFor();
    await page.getByRole("button", { name: "Get Grüße.txt" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const search = page.getByLabel("Search the network");
    await search.fill("zzzz");
    await page.getByText("Nothing found").waitFor();
    await search.fill("GRU");
    await page.getByText("1 match").waitFor();
    expect(await page.getByRole("button", { name: "Get film.mp4" }).count()).toBe(0);
    await page.getByRole("button", { name: "Get Grüße.txt" }).click();
    await page.getByText("You have it").waitFor();
  });

  test("a link's file that is asked for while the node starts comes once it runs", async () => {
    const { file_id: id } = await other.client.upload(randomBytes(1000), { name: "soon.bin" });
    const page = await session.open(`#/get/${id}?name=soon.bin`);
    await page.evaluate(() => window.uiHost.setHosting({ state: "starting", step: "Opening the store" }));
    await page.getByText("The node in this page is starting.").waitFor();
    await page.getByRole("button", { name: "Get this file, soon.bin" }).click();
    await page.getByText("It is asked for as soon as the node runs.").waitFor();
    const link = await page.evaluate(() => location.hash);
    await showAnew(page, link);
    await page.getByRole("button", { name: "Waiting for the node…, soon.bin" }).waitFor();
    await page.getByText("It is asked for as soon as the node runs.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.evaluate(() => window.uiHost.setHosting({ state: "running", inThisTab: true }));
    await page.getByText("All of it is in this browser and checked.").waitFor();
  });

  test("a link's file whose id is spelled otherwise comes on its screen also where that was left and opened again", async () => {
    const { file_id: id } = await other.client.upload(randomBytes(1000), { name: "spelled.bin" });
    const page = await session.open(`#/get/${CID.parse(id).toString(base16.encoder)}?name=spelled.bin`);
    await page.evaluate(() => window.uiHost.setHosting({ state: "starting", step: "Opening the store" }));
    await page.getByRole("button", { name: "Get this file, spelled.bin" }).click();
    const link = await page.evaluate(() => location.hash);
    await showAnew(page, link);
    await page.evaluate(() => window.uiHost.setHosting({ state: "running", inThisTab: true }));
    await page.getByText("All of it is in this browser and checked.").waitFor();
  });

  test("files that are got one by one are told of as asked for, since some of them may be here by then", async () => {
    const names = ["ebb.bin", "flood.bin"];
    for (const name of names) await other.client.upload(randomBytes(2 * FILM_BYTES), { name });
    const page = await session.open("#/network");
    for (const name of names) await page.getByRole("button", { name: `Get ${name}` }).click();
    const texts = () => page.locator(".toast p").allTextContents();
    await expect.poll(texts).toEqual(["Asked for 2 files"]);
    const { client } = session.own;
    for (const { id, name } of (await client.transfers()).transfers)
      if (names.includes(name)) await client.cancel(id);
    await expect.poll(texts).toEqual([]);
  });

  test("what others offer is sorted by who holds it until another order is chosen, which is that of no other list", async () => {
    const page = await session.open("#/nothing-here");
    const offers = ["f", "e", "d", "c", "b", "a"].map((name, at) => ({
      id: `bafkrei${"a".repeat(51)}${name}`,
      name: `${name}.bin`,
      size: 1 + (at % 4),
      peers: Array.from({ length: 1 + (at % 3) }, (_, peer) => `peer ${peer}`),
    }));
    await page.route(/files\/network$/, (route) =>
      route.fulfill({ json: { files: offers, total: offers.length } }),
    );
    await page.reload();
    await showAnew(page, "#/network");
    const order = page.getByLabel("Order");
    const names = () =>
      page
        .locator(".network-list .file-name")
        .evaluateAll((all) => all.map((name) => name.getAttribute("title")?.[0]).join(""));
    await expect.poll(names).toBe("adbecf");
    await order.selectOption("By name");
    await expect.poll(names).toBe("abcdef");
    await order.selectOption("By size");
    await expect.poll(names).toBe("cdaebf");
    expect(await axeViolations(page)).toEqual([]);
    await expect.poll(() => page.evaluate(() => localStorage.getItem("shoal-network-order"))).toBe("size");
    await order.selectOption("By holders");
    await expect.poll(names).toBe("adbecf");
    // It is noted once it is drawn.
    await expect.poll(() => page.evaluate(() => localStorage.getItem("shoal-network-order"))).toBeNull();
  });

  test("of a link without a size, that which was known is there after a reload, whoever is", async () => {
    const id = `bafkrei${"a".repeat(51)}s`;
    const page = await session.open("#/nothing-here");
    let files = [{ id, name: "sized.bin", size: 20_000, peers: ["somebody"] }];
    await page.route(/files\/network$/, (route) => route.fulfill({ json: { files, total: files.length } }));
    await page.reload();
    await showAnew(page, `#/get/${id}`);
    const size = page.locator(".get-screen-size");
    await size.getByText("20 kB").waitFor();
    await untilTold(page);
    files = [];
    await page.reload();
    await page.getByText("No peer that is met lists it.").waitFor();
    expect(await size.textContent()).toBe("20 kB");
    expect(new URL(page.url()).hash).toBe(`#/get/${id}?size=20000`);
  });

  test("a file on its way is deleted with its transfer, which goes on while that can be taken back", async () => {
    const { file_id: id } = await other.client.upload(randomBytes(2 * FILM_BYTES), { name: "unwanted.bin" });
    const page = await session.open("#/network");
    await page.getByRole("button", { name: "Get unwanted.bin" }).click();
    const getting = page.locator(".toast").filter({ hasText: "Getting unwanted.bin" });
    await getting.waitFor();
    await showAnew(page, "#/transfers");
    await page.getByRole("button", { name: "Cancel unwanted.bin" }).waitFor();
    expect(await getting.count()).toBe(0);
    await showAnew(page, "#/files");
    const more = page.getByRole("button", { name: "More for unwanted.bin" });
    const remove = async () => {
      await more.click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.locator(".toast").getByText("cancelling its transfer.").waitFor();
      expect(await more.count()).toBe(0);
    };
    await remove();
    await page.getByRole("button", { name: "Undo" }).click();
    await more.waitFor();
    const statusOf = async () =>
      (await session.own.client.transfers({ all: true })).transfers.find(({ file_id }) => file_id === id)
        ?.status;
    expect(["started", "in_progress"]).toContain(await statusOf());
    await remove();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(statusOf).toBe("cancelled");
    expect(await page.locator(".toast").count()).toBe(0);
  });

  test("whoever gets a file by keyboard is led to what can be done with it", async () => {
    const { file_id: fileId } = await other.client.upload(randomBytes(5000), { name: "key.bin" });
    const page = await session.open(`#/get/${fileId}?name=key.bin&size=5000`);
    await page.getByText(`${OTHER_NAME} has it.`).waitFor();
    const said = page.locator(".shell > .corner").getByText("key.bin is here, all of it checked.");
    // The node's events are not in step with its answers.
    await page.route("**/transfers/download", async (route) => {
      const response = await route.fetch();
      await said.waitFor();
      await route.fulfill({ response });
    });
    const asked = page.waitForResponse("**/transfers/download");
    await page.getByRole("button", { name: "Get this file, key.bin" }).press("Enter");
    const save = page.getByRole("button", { name: "Save to disk" });
    await save.waitFor();
    expect(await save.evaluate((button) => button === document.activeElement)).toBe(true);
    await (await asked).finished();
    await page.evaluate(() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn))));
    expect(await said.count()).toBe(1);
  });

  test("whoever waits on a button of a download is led to what can be done, though the list of files is late", async () => {
    const { file_id: fileId } = await other.client.upload(randomBytes(FILM_BYTES), { name: "late.mp3" });
    const page = await session.open(`#/get/${fileId}?name=late.mp3`);
    await page.getByRole("button", { name: "Get this file, late.mp3" }).press("Enter");
    // From here on the file is listed as one that is not whole yet.
    await page.getByRole("button", { name: "Play while it comes" }).waitFor();
    const shown = deferred<void>();
    await page.route(/\/api\/v1\/files(\?|$)/, async (route) => {
      await shown.promise;
      await route.continue();
    });
    await page.getByRole("button", { name: "Pause late.mp3" }).focus();
    await page.keyboard.press("Shift");
    const completed = page.waitForResponse(async (answer) => {
      if (!/\/api\/v1\/transfers(\?|$)/.test(answer.url())) return false;
      const { transfers } = await answer.json();
      return transfers.some((one: Transfer) => one.file_id === fileId && one.status === "completed");
    });
    await letCome();
    await completed;
    await page.evaluate(() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn))));
    shown.resolve();
    const play = page.getByRole("button", { name: "Play", exact: true });
    await play.waitFor();
    expect(await isFocused(play)).toBe(true);
  });

  test("a search that the node can't answer says so, and compares names", async () => {
    const page = await session.open("#/network");
    const failure = { error: true, code: 500, message: "The disk fails" };
    await page.route(/files\/network\?q=/, (route) => route.fulfill({ status: 500, json: failure }));
    await page.getByLabel("Search the network").fill("film");
    await page.getByRole("alert").getByText("The disk fails").waitFor();
    await page.getByRole("button", { name: "Get film.mp4" }).waitFor();
    await page.getByText("1 match").waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  test("a search that finds files by what they are about alone says so, and keeps those whose names fit", async () => {
    const page = await session.open("#/network");
    const film = { id: filmId, name: "film.mp4", size: FILM_BYTES, peers: ["p"], why: ["content"] };
    const answer = { files: [film], total: 1, ranked_by: "meaning" };
    await page.route(/files\/network\?q=/, (route) => route.fulfill({ json: answer }));
    const told = page.locator(".finding-box").getByRole("status");
    const search = page.getByLabel("Search the network");
    await search.fill("boats");
    await told.getByText("1 match, none by name").waitFor();
    await search.fill("gru");
    await told.getByText("2 matches", { exact: true }).waitFor();
  });

  test("what is found by name so far is looked for by meaning once that is ready, and more once more is read", async () => {
    const page = await session.open("#/network");
    const film = { id: filmId, name: "film.mp4", size: FILM_BYTES, peers: ["p"], why: ["content"] };
    let status = { state: "loading", model: "m", indexed: 0, pending: 2, problem: null };
    let answer: object = { files: [], total: 0, ranked_by: "name" };
    await page.route(/api\/v1\/search$/, (route) => route.fulfill({ json: status }));
    await page.route(/files\/network\?q=/, (route) => route.fulfill({ json: answer }));
    const told = page.locator(".finding-box").getByRole("status");
    await page.reload();
    await page.getByLabel("Search the network").fill("boats");
    await told.getByText("Nothing found, by name so far").waitFor();
    answer = { files: [], total: 0, ranked_by: "meaning" };
    status = { ...status, state: "ready" };
    await told.getByText("Nothing found", { exact: true }).waitFor();
    answer = { files: [film], total: 1, ranked_by: "meaning" };
    status = { ...status, indexed: 1, pending: 1 };
    await told.getByText("1 match, none by name").waitFor();
  });

  test("nothing is said to be found only once the node has answered", async () => {
    const page = await session.open("#/network");
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/files\/network\?q=/, async (route) => {
      await answered;
      await route.fulfill({ json: { files: [], total: 0, ranked_by: "meaning" } });
    });
    const told = page.locator(".finding-box").getByRole("status");
    // Said for a second alone, which may be over when a busy machine is asked afterwards.
    const searching = told.getByText("Searching…", { exact: true }).waitFor();
    await page.getByLabel("Search the network").fill("boats");
    await searching;
    await told.getByText("None by name, still looking…").waitFor();
    expect(await page.getByRole("heading", { name: "No file fits these words" }).count()).toBe(0);
    answer();
    await told.getByText("Nothing found").waitFor();
  });

  test.each(["network", "files"])(
    "what found nothing among the %s is followed by a next step",
    async (screen) => {
      const page = await session.open(`#/${screen}`, PHONE);
      await session.own.client.upload(new TextEncoder().encode("tides"), { name: "tides.txt" });
      await page
        .getByText(screen === "network" ? "film.mp4" : "tides.txt")
        .first()
        .waitFor();
      await page.route(/files(\/network)?\?q=/, (route) =>
        route.fulfill({ json: { files: [], total: 0, ranked_by: "meaning" } }),
      );
      const search = page.getByRole("searchbox");
      await search.fill("zzzz");
      await page.getByRole("heading", { name: "No file fits these words" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      expect(await sidewaysPixels(page)).toBe(0);
      await page.getByRole("button", { name: "Show all files" }).click();
      await page
        .getByText(screen === "network" ? "film.mp4" : "tides.txt")
        .first()
        .waitFor();
      expect(await search.inputValue()).toBe("");
    },
  );

  test("nobody is said to offer anything only once a peer that is here had time to tell", async () => {
    // What notes the words stays in its page.
    const page = await session.openAlone("#/nothing-here");
    const offer = { id: filmId, name: "told.mp4", size: FILM_BYTES, peers: ["p"] };
    const told: string[] = [];
    await page.route(/files\/network$/, (route) => {
      const files = told.length === 0 ? [] : [offer];
      return route.fulfill({ json: { files, total: files.length } });
    });
    await page.exposeFunction("tell", (words: string) => told.push(words));
    await page.addInitScript(() => {
      const { tell } = window as unknown as { tell: (words: string) => void };
      const look = () => {
        const words = document.querySelector("main")?.textContent ?? "";
        for (const said of ["as they tell of it", "Nobody offers a file yet", "told.mp4"])
          if (words.includes(said)) tell(said);
      };
      new MutationObserver(look).observe(document, { childList: true, subtree: true });
    });
    await page.evaluate(() => {
      location.hash = "#/network";
      location.reload();
    });
    await page.getByRole("button", { name: "Get told.mp4" }).waitFor();
    expect([...new Set(told)]).toEqual(["as they tell of it", "told.mp4"]);
  });

  test("a text that is no link is refused with a next step", async () => {
    const page = await session.open("#/network", PHONE);
    await page.getByLabel("Open a link or a file id").fill("https://example.org/");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("alert").getByText("Was it cut?").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
  });

  test("a link is opened, its file got, paused, resumed and cancelled", async () => {
    const page = await session.open(`#/get/${filmId}?name=film.mp4&size=${FILM_BYTES}`);
    await page.getByRole("heading", { name: "film.mp4" }).waitFor();
    // Where the focus is, which has no words of its own.
    await page.getByRole("main", { name: "film.mp4" }).waitFor();
    await page.getByText(`${OTHER_NAME} has it.`).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(new URL(page.url()).hash).toContain(filmId);

    const said = page.locator(".shell > .corner").getByRole("status");
    await page.getByRole("button", { name: "Get this file, film.mp4" }).click();
    await said.getByText("Getting film.mp4.").waitFor();
    await page.getByRole("list", { name: "Peers it comes from" }).getByText("/s").waitFor();
    await page.getByRole("img", { name: /^Pieces of film\.mp4/ }).waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.getByRole("button", { name: "Pause film.mp4" }).click();
    await page.getByText(/^Paused at/).waitFor();
    await said.getByText("film.mp4 is paused.").waitFor();
    await page.getByRole("link", { name: "Transfers" }).click();
    await page.getByRole("heading", { name: "Transfers", level: 1 }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const resume = page.getByRole("button", { name: "Resume film.mp4" });
    await resume.focus();
    await page.keyboard.press("Enter");
    const pause = page.getByRole("button", { name: "Pause film.mp4" });
    await pause.waitFor();
    expect(await pause.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByText(/\/s from 1 peer · .+ left$/).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sidewaysPixels(page)).toBe(0);

    const told = page.getByRole("main").getByRole("status").first();
    await told.getByText("1 download under way").waitFor();
    await page.getByRole("heading", { name: "Unfinished" }).waitFor();
    await page.getByRole("button", { name: "Cancel film.mp4" }).click();
    await told.getByText("No download under way").waitFor();
    await said.getByText("film.mp4 is cancelled.").waitFor();
    await page
      .getByText(/^24|^25/)
      .and(page.getByText("Cancelled at"))
      .waitFor();
    await page.getByRole("button", { name: "Try again film.mp4" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  test("a link says that bytes come straight, or that they come through a relay", async () => {
    const { peers } = await session.own.client.peers();
    const page = await session.open(`#/get/${filmId}?name=film.mp4&size=${FILM_BYTES}`);
    await page.getByText("It comes straight from them to you.").waitFor();
    const relayed = peers.map((peer) => ({ ...peer, transport: "relay" }));
    await page.route(/api\/v1\/node\/peers/, (route) => route.fulfill({ json: { peers: relayed } }));
    await page.getByText(`${OTHER_NAME} has it. It comes from them to you through a relay.`).waitFor();
  });

  test("a link says when nobody has all of what it names, and whether its sender answers", async () => {
    const { node_id: otherId } = await other.client.nodeInfo();
    const link = `#/get/${filmId}?name=film.mp4&size=${FILM_BYTES}`;
    // Nobody is there.
    const at = "/ip4/127.0.0.1/tcp/1/ws/p2p/12D3KooWKRyzVWW6ChFjQjK4miCty85Niy49tpPV95XdKu1BcvMA";
    const page = await session.open("#/files");
    const offer = { id: filmId, name: "film.mp4", size: FILM_BYTES, peers: [otherId], complete_peers: 0 };
    await page.route(/\/files\/network$/, (route) => route.fulfill({ json: { files: [offer], total: 1 } }));
    const says = (words: string) =>
      expect.poll(() => page.locator(".get-screen-wait").textContent()).toContain(`${OTHER_NAME} ${words}`);
    await showAnew(page, link);
    await says("has some of it.");
    await showAnew(page, `${link}&at=${at}`);
    await says("has some of it. Who sent the link does not answer just now.");
  });

  test("nothing is said to be asked for once the only peer has gone", async () => {
    const passing = await session.startOther(["--max-upload", "512KiB"]);
    const { file_id: fileId } = await passing.client.upload(randomBytes(FILM_BYTES), { name: "passing.bin" });
    const page = await session.open("#/transfers");
    const { transfer_id: id } = await session.own.client.download({ file_id: fileId });
    const card = page.locator(".transfer-card").filter({ hasText: "passing.bin" });
    const asked = card.getByText("asked for");
    await asked.waitFor();
    await card.getByText("1 piece").waitFor();
    await passing.kill();
    await asked.waitFor({ state: "detached" });
    expect((await session.own.client.transfer(id)).status).toBe("in_progress");
    await session.own.client.cancel(id);
  });

  test("in a narrow window with letters twice as large what a peer brings stays within its card", async () => {
    const { file_id: fileId } = await other.client.upload(randomBytes(FILM_BYTES), { name: "wide.bin" });
    // 320 pixels less a scrollbar.
    const page = await session.open("#/transfers", { ...PHONE, viewport: { width: 305, height: 740 } });
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    const { transfer_id: id } = await session.own.client.download({ file_id: fileId });
    const card = page.locator(".transfer-card").filter({ hasText: "wide.bin" });
    const speed = card.getByRole("list", { name: "Peers it comes from" }).getByText("/s");
    const pieces = card.locator(".transfer-pieces");
    await pieces.scrollIntoViewIfNeeded();
    await speed.waitFor();
    const [inner, outer] = await Promise.all([speed.boundingBox(), pieces.boundingBox()]);
    expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
    await session.own.client.cancel(id);
  });

  test("of a file with two places, it is told which goes on where that is not the one that was tried again", async () => {
    const { client } = session.own;
    const name = "two places.bin";
    const { file_id } = await other.client.upload(randomBytes(FILM_BYTES), { name });
    const { transfer_id: first } = await client.download({ file_id, name, output_path: "first.bin" });
    await client.cancel(first);
    const { transfer_id: second } = await client.download({ file_id, name, output_path: "second.bin" });
    const page = await session.open("#/transfers");
    await page.getByRole("button", { name: "Try again two places.bin" }).click();
    await page
      .locator(".toast")
      .getByText("has another transfer, which goes on instead of this one.")
      .waitFor();
    expect((await client.transfer(first)).status).toBe("cancelled");
    await client.cancel(second);
  });

  test("a double click cancels one download, not the one that takes its place as well", async () => {
    const page = await session.open("#/transfers");
    const cancel = page.getByRole("button", { name: /^Cancel twin/ });
    for (const name of ["twin one.bin", "twin two.bin"]) {
      const { file_id: fileId } = await other.client.upload(randomBytes(FILM_BYTES), { name });
      await session.own.client.download({ file_id: fileId, name });
      await page.getByRole("button", { name: `Cancel ${name}` }).waitFor();
    }
    const first = await cancel.first().boundingBox();
    const x = (first?.x ?? 0) + (first?.width ?? 0) / 2;
    const y = (first?.y ?? 0) + (first?.height ?? 0) / 2;
    await page.mouse.click(x, y);
    await page.getByRole("button", { name: "Try again twin two.bin" }).waitFor();
    expect(await cancel.first().boundingBox()).toEqual(first);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByRole("button", { name: "Pause twin one.bin" }).click();
    await page.getByRole("button", { name: "Resume twin one.bin" }).waitFor();
    await cancel.click();
    await page.getByRole("button", { name: "Try again twin one.bin" }).waitFor();
  });

  test("a download that goes on, or is over, takes the keyboard along to its other list", async () => {
    for (const name of ["over.bin", "again.bin", "newer.bin"]) {
      const sizeBytes = name === "again.bin" ? FILM_BYTES : 100;
      const { file_id: fileId } = await other.client.upload(randomBytes(sizeBytes), { name });
      await session.own.client.download({ file_id: fileId, name });
    }
    const page = await session.open("#/transfers");
    const button = (name: string) => page.getByRole("button", { name });
    await page.locator(".transfer-line").filter({ hasText: "newer.bin" }).waitFor();
    await button("Cancel again.bin").press("Enter");
    await expect.poll(() => isFocused(button("Try again again.bin"))).toBe(true);
    await page.keyboard.press("Enter");
    await button("Pause again.bin").waitFor();
    expect(await isFocused(button("Pause again.bin"))).toBe(true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => isFocused(button("Try again again.bin"))).toBe(true);
  });

  test("of what is over, what ended last comes first, and only what is all here is to be saved", async () => {
    const page = await session.open("#/nothing-here");
    const at = (second: number) => new Date(second * 1000).toISOString();
    const over = {
      ...{ size: 5, status: "completed", progress: 1, speed: 0, peers: 1, estimated_completion: null },
      ...{ paused: false, repair: false, error: null, output_path: null },
    };
    const long = { ...over, id: "l", file_id: "l", name: "long.bin", started_at: at(1), ended_at: at(9) };
    const short = { ...over, id: "s", file_id: "s", name: "short.bin", started_at: at(2), ended_at: at(3) };
    await page.route(/api\/v1\/transfers\?/, (route) =>
      route.fulfill({ json: { transfers: [short, long], total: 2 } }),
    );
    const file = { size: 5, chunks: 1, created_at: at(1) };
    const files = [
      { ...file, id: "l", name: "long.bin", complete: true },
      // Deleted, and on its way again.
      { ...file, id: "s", name: "short.bin", complete: false },
    ];
    await page.route(/api\/v1\/files$/, (route) => route.fulfill({ json: { files, total: 2 } }));
    await page.reload();
    await showAnew(page, "#/transfers");
    await page.getByRole("button", { name: "Save long.bin to disk" }).waitFor();
    const rows = await page.locator(".transfer-line").allInnerTexts();
    expect(rows.map((row) => /long|short/.exec(row)?.[0])).toEqual(["long", "short"]);
    expect(rows[1]).not.toMatch(/Save|deleted since/);
  });

  test("one that found no room leads to where files are deleted where there are any", async () => {
    const page = await session.open("#/nothing-here");
    const at = new Date().toISOString();
    const failed = {
      ...{ id: "full", file_id: "full", name: "full.bin", size: 5, status: "failed", error: "no room" },
      ...{ progress: 0, speed: 0, peers: 0, estimated_completion: null, output_path: null },
      ...{ paused: false, repair: false, storage_full: true, started_at: at, ended_at: at },
    };
    await page.route(/api\/v1\/transfers\?/, (route) =>
      route.fulfill({ json: { transfers: [failed], total: 1 } }),
    );
    const other = { id: "o", name: "other.bin", size: 5, chunks: 1, complete: true, created_at: at };
    for (const files of [[], [other]]) {
      await page.route(/api\/v1\/files$/, (route) => route.fulfill({ json: { files, total: files.length } }));
      const listed = page.waitForResponse(/api\/v1\/files$/);
      await page.reload();
      await listed;
      await showAnew(page, "#/transfers");
      await page.getByRole("main").getByRole("link", { name: "See storage in Settings" }).waitFor();
      const deletion = page.getByRole("main").getByRole("link", { name: "Delete files" });
      if (files.length > 0) await deletion.waitFor();
      else expect(await deletion.count()).toBe(0);
    }
  });

  test("of what is unfinished more is shown when it is asked for, and one scrolls to what is over", async () => {
    const page = await session.open("#/nothing-here");
    const at = new Date().toISOString();
    const transfer = {
      ...{ size: 5, progress: 0, speed: 0, peers: 0, estimated_completion: null, started_at: at },
      ...{ paused: true, repair: false, error: null, output_path: null },
    };
    const named = (name: string, ended: object) => ({ ...transfer, ...ended, id: name, file_id: name, name });
    const unfinished = { status: "interrupted", ended_at: null };
    const transfers = [
      ...Array.from({ length: ROWS_A_PAGE + 9 }, (_, number) => named(`${number}.bin`, unfinished)),
      named("over.bin", { status: "completed", progress: 1, paused: false, ended_at: at }),
    ];
    await page.route(/api\/v1\/transfers\?/, (route) =>
      route.fulfill({ json: { transfers, total: transfers.length } }),
    );
    await page.reload();
    await showAnew(page, "#/transfers");
    const more = page.getByRole("button", { name: "Show 9 more" });
    await more.waitFor();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await untilTold(page);
    expect(await page.locator(".transfer-card").count()).toBe(ROWS_A_PAGE);
    await more.click();
    await more.waitFor({ state: "detached" });
  });

  test("a file that is here has its own name for a title, whatever the link says", async () => {
    const { file_id: fileId } = await session.own.client.upload(randomBytes(100), { name: "own name.bin" });
    const page = await session.open(`#/get/${fileId}?name=trusted.exe`);
    await page.getByRole("heading", { name: "own name.bin" }).waitFor();
    await page.waitForFunction(() => document.title === "own name.bin · Shoal");
  });

  test("what is played while it comes goes on being played when all of it is here", async () => {
    const song = await other.client.upload(randomBytes(FILM_BYTES), { name: "song.mp3" });
    const page = await session.open(`#/get/${song.file_id}?name=song.mp3`);
    await page.getByRole("button", { name: "Get this file, song.mp3" }).click();
    await page.getByRole("button", { name: "Play while it comes" }).click();
    const dialog = await page.getByRole("dialog").elementHandle();
    await letCome();
    await page.getByText("All of it is in this browser and checked.").waitFor();
    expect(await dialog?.isVisible()).toBe(true);
  });

  test("is played from the list of transfers, too, and goes on when its transfer is over", async () => {
    const tune = await other.client.upload(randomBytes(FILM_BYTES), { name: "tune.mp3" });
    const page = await session.open("#/transfers");
    await session.own.client.download({ file_id: tune.file_id });
    const play = page.getByRole("button", { name: "Play tune.mp3" });
    const card = page.locator(".transfer-card").filter({ has: play });
    await card.getByText("of 25.2 MB").waitFor();
    // Never answered, as long as the test lasts.
    await page.route(/\/stream\//, () => {});
    await play.press("Enter");
    await page.getByRole("dialog").getByText("Fetching the beginning…").waitFor();
    const dialog = await page.getByRole("dialog", { name: "tune.mp3" }).elementHandle();
    await letCome();
    await page.locator(".transfer-line").filter({ hasText: "tune.mp3" }).waitFor();
    expect(await dialog?.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await play.press("Enter");
    await page.getByRole("dialog", { name: "tune.mp3" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await play.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  test("what can't be played is not said to have stopped coming while it comes", async () => {
    const noise = await other.client.upload(randomBytes(FILM_BYTES), { name: "noise.mp4" });
    const page = await session.open("#/transfers");
    const { transfer_id: id } = await session.own.client.download({ file_id: noise.file_id });
    const card = page.locator(".transfer-card").filter({ hasText: "noise.mp4" });
    await card.getByText(/\/s from 1 peer/).waitFor();
    await page.getByRole("button", { name: "Play noise.mp4" }).click();
    const told = page.getByRole("dialog").getByRole("alert");
    await told.waitFor();
    expect(await told.textContent()).toContain("can't show what has come of this file so far");
    await page.setViewportSize({ width: 360, height: 740 });
    // It stands where the film would, within its edges.
    const [words, place] = await Promise.all([boxOf(told), boxOf(page.locator(".preview"))]);
    expect(words.x - place.x).toBeGreaterThan(8);
    expect(place.width - words.width).toBeGreaterThan(16);
    await page.keyboard.press("Escape");
    await session.own.client.cancel(id);
  });

  test("a text or a picture that has come is opened from the list of transfers, and what can't be shown is not", async () => {
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";
    const page = await session.open("#/transfers");
    for (const [name, bytes] of [
      ["came.txt", Buffer.from("words that came")],
      ["came.png", Buffer.from(pixel, "base64")],
      ["came.bin", randomBytes(100)],
    ] as const) {
      const { file_id: fileId } = await other.client.upload(bytes, { name });
      await session.own.client.download({ file_id: fileId, name });
      await page.getByRole("button", { name: `Save ${name} to disk` }).waitFor();
    }
    const open = page.getByRole("button", { name: "Open came.txt" });
    await open.press("Enter");
    await page.getByRole("dialog", { name: "came.txt" }).getByText("words that came").waitFor();
    await page.keyboard.press("Escape");
    expect(await isFocused(open)).toBe(true);
    await page.getByRole("button", { name: "Open came.png" }).click();
    await page.getByRole("dialog").getByRole("img", { name: "came.png" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("button", { name: "Open came.bin" }).count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  test("speeds of the last minutes are read by keyboard, too, and none once the chart is left", async () => {
    const page = await session.open("#/transfers");
    const chart = page.getByRole("application", { name: /^Bytes a second/ });
    const past = page.locator(".speed-chart figcaption").getByText(/ ago$/);
    // There is one a second, from when the page was opened.
    await expect
      .poll(async () => {
        await chart.press("ArrowLeft");
        return await past.count();
      })
      .toBe(1);
    await page
      .locator(".speed-chart [aria-live]")
      .getByText(/^\d+ s ago: down .+, up .+$/)
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Tab");
    await past.waitFor({ state: "detached" });
  });

  test("a chart of speeds that can't be loaded says so", async () => {
    const page = await session.open("#/files");
    await page.route("**/speed-plot*.js", (route) => route.abort());
    await page.getByRole("link", { name: "Transfers" }).click();
    const speeds = page.getByRole("region", { name: "Speed over the last two minutes" });
    await speeds.getByText("This drawing did not load. Reload the page.").waitFor();
    expect(await speeds.getByRole("application").count()).toBe(0);
    await speeds.getByText(/^Down /).waitFor();
  });

  test("whoever waits is asked once whether to be told of the end, where it hides nothing", async () => {
    const page = await session.open(`#/get/${filmId}?name=film.mp4&size=${FILM_BYTES}`);
    await page.context().clearPermissions();
    await page.getByRole("button", { name: /^(Get this file,|Try again) film\.mp4$/ }).click();
    const question = page.getByText("Shall the browser tell you");
    await question.waitFor();
    await page.getByRole("link", { name: "Network" }).click();
    await page.getByRole("heading", { name: "Network", level: 1 }).waitFor();
    expect(await question.count()).toBe(0);
    await page.getByRole("link", { name: "Transfers" }).click();
    await question.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "No", exact: true }).click();
    await question.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("button", { name: "Cancel film.mp4" }).waitFor();
    expect(await question.count()).toBe(0);
    const cancel = page.getByRole("button", { name: "Cancel film.mp4" });
    await cancel.click();
    await cancel.waitFor({ state: "detached" });
  });

  test("a file that nobody has says what to do", async () => {
    const page = await session.open(
      "#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e?at=/ip4/127.0.0.1/tcp/1",
    );
    await page.getByText("ask them to open it").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // What a download that finds nobody in that time does, which does not wait for somebody to come.
    await showAnew(page, "#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
    await page.getByText("it is looked for during half a minute").waitFor();
  });
});

describe("what strangers write", () => {
  test("has its ending in the heading of a link, however long it is", async () => {
    const page = await session.open("#/nothing-here", PHONE);
    const heading = page.getByRole("heading", { level: 1 });
    const long = `${"A long title ".repeat(8)}and no end.tar.gz`;
    for (const { name, lines } of [
      { name: "A short title.tar.gz", lines: ["A short title.tar.gz"] },
      { name: "Two gorgeous fjords.tar.gz", lines: ["Two gorgeous fjords.tar.gz"] },
      { name: long, lines: [long, "end.tar.gz"] },
    ]) {
      await showAnew(page, `#/get/${filmId.replace(/.{4}$/, "aaaa")}?name=${encodeURIComponent(name)}`);
      await heading.getByText(name).waitFor();
      await untilTold(page);
      expect(await heading.locator("bdi").allTextContents()).toEqual(lines);
    }
    // Where all of it fits, it stands there once.
    await page.setViewportSize({ width: 1280, height: 740 });
    await untilTold(page);
    expect(await heading.locator("bdi").allTextContents()).toEqual([long]);
    expect(await axeViolations(page)).toEqual([]);
  });

  test("stays within a phone's window, however long a name, a reason or an address is", async () => {
    const page = await session.open("#/nothing-here", PHONE);
    const started = new Date().toISOString();
    const transfer = {
      id: "a",
      file_id: filmId,
      name: `${"n".repeat(195)}.webm`,
      size: FILM_BYTES,
      status: "interrupted",
      progress: 0.4,
      speed: 0,
      peers: 0,
      started_at: started,
      estimated_completion: null,
      ended_at: null,
      paused: false,
      repair: false,
      waiting: false,
      error: `Lost ${"p".repeat(100)}`,
    };
    const peer = {
      id: "p".repeat(52),
      address: "[2001:db8:1234:5678:9abc:def0:1234:5678]:45001",
      transport: "webrtc",
      connected_since: started,
      files_available: 1,
      latency_ms: null,
      relay: true,
      uploaded: 1e12,
      downloaded: 1e12,
      upload_speed: 123e6,
      download_speed: 123e6,
    };
    const ended = { ...transfer, id: "b", status: "failed" };
    await page.route(/api\/v1\/transfers\?/, (route) =>
      route.fulfill({ json: { transfers: [transfer, ended], total: 2 } }),
    );
    // As it was a moment ago.
    const chunks = { states: "2000", sources: btoa("\0\0\0\0"), peers: [], count: 4 };
    await page.route(/api\/v1\/transfers\/a\/chunks/, (route) => route.fulfill({ json: chunks }));
    await page.route(/api\/v1\/node\/peers/, (route) => route.fulfill({ json: { peers: [peer], total: 1 } }));
    await page.reload();
    for (const { hash, shows } of [
      { hash: "#/transfers", shows: /^Lost p+\. It goes on/ },
      { hash: "#/peers", shows: "[2001:db8:1234:5678:9abc:def0:1234:5678]:45001" },
      { hash: `#/get/${filmId}?name=${transfer.name}`, shows: /^Lost p+\. It goes on/ },
    ]) {
      await showAnew(page, hash);
      await page.getByText(shows).waitFor();
      expect(await sidewaysPixels(page), hash).toBe(0);
      if (hash !== "#/transfers") continue;
      const pieces = page.locator(".transfer-card canvas");
      expect(await pieces.getAttribute("aria-label")).toContain("40 % here");
    }
    await page.getByRole("button", { name: "Resume" }).click({ trial: true });
  });
});

test("the pieces of transfers are asked for while they are looked at, of one that waits for its turn once", async () => {
  const page = await session.open("#/files");
  const transfer = {
    status: "in_progress",
    size: 4,
    progress: 0,
    speed: 0,
    peers: 1,
    estimated_completion: null,
    started_at: new Date().toISOString(),
    ended_at: null,
    paused: false,
    repair: false,
    error: null,
  };
  const ids = ["runs", ...Array.from({ length: 12 }, (_, number) => `between-${number}`), "below", "waits"];
  const transfers = ids.map((id) => ({
    ...transfer,
    id,
    file_id: id,
    name: `${id}.bin`,
    waiting: id === "waits",
  }));
  await page.route(/api\/v1\/transfers\?/, (route) =>
    route.fulfill({ json: { transfers, total: ids.length } }),
  );
  const asked = new Map(ids.map((id) => [id, 0]));
  await page.route("**/api/v1/transfers/*/chunks?*", async (route) => {
    const id = new URL(route.request().url()).pathname.split("/").at(-2) ?? "";
    asked.set(id, (asked.get(id) ?? 0) + 1);
    await route.fulfill({ json: { states: "0", sources: btoa("\xff"), peers: [], count: 1 } });
  });
  await page.reload();
  await showAnew(page, "#/transfers");
  await expect.poll(() => asked.get("runs")).toBeGreaterThan(3);
  expect([asked.get("below"), asked.get("waits")]).toEqual([0, 0]);
  await page.locator("[data-thing=waits]").scrollIntoViewIfNeeded();
  await expect.poll(() => asked.get("below")).toBeGreaterThan(3);
  expect(asked.get("waits")).toBe(1);
});

describe("peers", () => {
  test("are on the map and in the table with how they are connected", async () => {
    const { node_id: otherId } = await other.client.nodeInfo();
    for (const options of [{ colorScheme: "dark" }, PHONE] as const) {
      const page = await session.open("#/peers", options);
      const row = page.getByRole("row").filter({ hasText: otherId.slice(-6) });
      await row.getByText("TCP, direct").waitFor();
      // Beside the speed of this moment.
      expect(await row.getByText(/ in all$/).count()).toBe(2);
      const map = page.getByRole("figure");
      expect(await map.getAttribute("aria-label")).toBe("Map of the swarm");
      await map.getByRole("button", { name: `${OTHER_NAME}, by TCP`, exact: true }).click();
      expect(await axeViolations(page)).toEqual([]);
      expect(await sidewaysPixels(page)).toBe(0);
    }
  });

  test("have points in the table that grow with the letters", async () => {
    const page = await session.open("#/peers");
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    const point = page.locator(".peer-table .peer-dot").first();
    await point.waitFor();
    expect((await boxOf(point)).width).toBe(19.5);
  });

  test("have names on the map of a phone that end within it, and buttons as large as a finger", async () => {
    const page = await session.open("#/files", PHONE);
    const [peer] = (await session.own.client.peers()).peers;
    const peers = Array.from({ length: 5 }, (_, at) => ({
      ...peer,
      id: `${peer?.id.slice(0, -1)}${at + 1}`,
    }));
    await page.route(/api\/v1\/node\/peers/, (route) => route.fulfill({ json: { peers } }));
    await page.getByText("5 peers").waitFor();
    await page.getByRole("link", { name: "Peers" }).click();
    const names = page.locator(".swarm-map-chart li button");
    await names.nth(4).waitFor();
    const chart = await page.locator(".swarm-map-chart").boundingBox();
    for (const name of await names.all()) {
      const { x, width } = (await name.boundingBox()) ?? { x: 0, width: 0 };
      expect(x).toBeGreaterThanOrEqual(chart?.x ?? 0);
      expect(x + width).toBeLessThanOrEqual((chart?.x ?? 0) + (chart?.width ?? 0));
    }
    expect(await smallTargets(page)).toEqual([]);
  });

  test("of another swarm, as a relay may be, are neither counted nor asked whether they want a file", async () => {
    const page = await session.open("#/peers");
    const [peer] = (await session.own.client.peers()).peers;
    const stranger = { ...peer, id: `${peer?.id.slice(0, -1)}1`, name: "A relay", in_swarm: false };
    await page.route(/api\/v1\/node\/peers/, (route) => route.fulfill({ json: { peers: [peer, stranger] } }));
    await page.locator(".peer-table").getByText("not known in your swarm").waitFor();
    expect(await page.locator(".status-line [role=status]").textContent()).toBe("1 peer");
    expect(await page.locator(".screen-head p").textContent()).toBe("1 peer in the swarm “main”");
    const { file_id: fileId } = await session.own.client.upload(new Uint8Array(1), { name: "for peers.bin" });
    await page.getByRole("link", { name: "Files", exact: true }).click();
    await page.getByRole("button", { name: "More for for peers.bin" }).click();
    await page.getByRole("menuitem", { name: "Send to a peer…" }).click();
    expect(await page.getByRole("dialog").getByRole("listitem").count()).toBe(1);
    await session.own.client.deleteFile(fileId);
  });

  test("have on a phone how much came and went beneath the speeds, on one line", async () => {
    const page = await session.open("#/peers", PHONE);
    const [peer] = (await session.own.client.peers()).peers;
    const figures = { download_speed: 0, upload_speed: 0, downloaded: 123_400_000, uploaded: 0 };
    const one = { ...peer, ...figures };
    await page.route(/api\/v1\/node\/peers/, (route) => route.fulfill({ json: { peers: [one] } }));
    await page.getByText("123 MB in all").waitFor();
    const totals = await page.getByText(/ in all$/).all();
    const tops = await Promise.all(totals.map(async (total) => (await total.boundingBox())?.y));
    expect(tops).toEqual([tops[0], tops[0]]);
  });

  test("what copies one's own address has a short name, and the address for its description", async () => {
    const page = await session.open("#/peers");
    await page.getByText("Where you can be reached").click();
    for (const name of ["Copy address", "Show QR code"]) {
      const button = page.getByRole("button", { name, exact: true }).first();
      await button.waitFor();
      const words = await button.getAttribute("aria-describedby");
      expect(await page.locator(`[id="${words}"]`).textContent()).toMatch(/^\/ip[46]\//);
    }
    expect(await axeViolations(page)).toEqual([]);
  });

  test("one that is connected to is not said to offer nothing before it could tell", async () => {
    await using shoals = new Shoals();
    const stranger = await shoals.start();
    await stranger.client.upload(new TextEncoder().encode("of a stranger"), { name: "strange.txt" });
    const { addresses } = await stranger.client.nodeInfo();
    const page = await session.open("#/peers");
    await page.getByLabel("Connect to a peer").fill(addresses[0] ?? "");
    await page.getByRole("button", { name: "Connect" }).click();
    const told = page.locator(".toast").getByText(/^Connected\./);
    await told.waitFor();
    expect(await told.textContent()).not.toContain("0 files");
  });

  test("an address that leads nowhere is said to, with a next step", async () => {
    const page = await session.open("#/peers");
    await page.getByLabel("Connect to a peer").fill("/ip4/127.0.0.1/tcp/1");
    await page.getByRole("button", { name: "Connect" }).click();
    const refusal = page.getByRole("alert").filter({ hasText: "Is that peer running" });
    await refusal.waitFor();
    expect(await refusal.textContent()).not.toContain("..");
    await page.getByLabel("Connect to a peer").fill("127.0.0.1");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByRole("alert").getByText("starts with a slash").waitFor();
  });
});
