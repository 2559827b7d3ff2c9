/** One peer asks another to download a file: by a card on the page that is asked, and a dialog on the one that asks. */
import type { BrowserContextOptions, Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ShoalProcess } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { axeViolations, faultsOf, untilTold } from "./ui-checks.ts";
import { PHONE, UiSession } from "./ui-session.ts";

const NAME = "Ada's laptop";
const LONG = "of many words ".repeat(6);

let session: UiSession;
let ada: ShoalProcess;
beforeAll(async () => {
  session = await UiSession.start();
  ada = await session.startOther(["--name", NAME]);
  await until("the peers have met", async () =>
    (await session.own.client.peers()).peers.some(({ name }) => name === NAME),
  );
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

/** Ada asks for the file to be downloaded. */
async function invite(name: string, text: string): Promise<string> {
  const { file_id: fileId } = await ada.client.upload(new TextEncoder().encode(text), { name });
  await ada.client.invite((await session.own.client.nodeInfo()).node_id, fileId);
  return fileId;
}

it("shows who sends what, and gets it or leaves it", async () => {
  const page = await session.open("#/files", PHONE);
  const letter = await invite("letter.txt", "Dear you");
  const card = page.locator(".corner-card").filter({ hasText: "letter.txt" });
  await card.getByText(`${NAME} sends you`).waitFor();
  await card.getByText("8 bytes").waitFor();
  expect(await card.getByTitle((await ada.client.nodeInfo()).node_id).textContent()).toBe(NAME);
  expect(await faultsOf(page, "invitation")).toEqual([]);
  for (const name of ["one.txt", "two.txt"]) await invite(name, name);
  await page.getByText("and 1 more").waitFor();
  for (const name of ["two.txt", "one.txt"]) {
    await page
      .locator(".corner-card")
      .filter({ hasText: name })
      .getByRole("button", { name: "No, thanks" })
      .click();
  }
  await card.getByRole("link", { name: "Have a look" }).click();
  await page.getByRole("heading", { name: "letter.txt", level: 1 }).waitFor();
  await card.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Get this file" }).click();
  await page.getByRole("button", { name: "Open" }).waitFor();
  expect(await session.own.client.file(letter)).toMatchObject({ complete: true });
  expect((await session.own.client.invitations()).total).toBe(0);
});

it("says who sends what nobody lists", async () => {
  const page = await session.open("#/files");
  const { file_id: fileId } = await ada.client.upload(new TextEncoder().encode("Not for others"), {
    name: "secret.txt",
    unlisted: true,
  });
  await ada.client.invite((await session.own.client.nodeInfo()).node_id, fileId);
  const card = page.locator(".corner-card").filter({ hasText: "secret.txt" });
  await card.getByRole("link", { name: "Have a look" }).click();
  const main = page.getByRole("main");
  await main.getByText(`${NAME} sends it to you. It comes straight from them to you.`).waitFor();
  await main.getByRole("button", { name: "Get this file" }).click();
  await main.getByRole("button", { name: "Open" }).waitFor();
});

it("sends a file to a peer that is picked by its name", async () => {
  const { file_id: fileId } = await session.own.client.upload(new TextEncoder().encode("for Ada"), {
    name: "for Ada.txt",
  });
  const page = await session.open("#/files");
  await page.getByRole("button", { name: "More for for Ada.txt" }).click();
  await page.getByRole("menuitem", { name: "Send to a peer…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Send/ });
  await dialog.getByRole("button", { name: `Send to ${NAME}` }).click();
  await dialog.getByText("Asked", { exact: true }).waitFor();
  expect(await faultsOf(page, "send")).toEqual([]);
  expect((await ada.client.invitations()).invitations).toMatchObject([
    { file_id: fileId, name: "for Ada.txt", size: 7 },
  ]);
  const { node_id: ownId } = await session.own.client.nodeInfo();
  await dialog.getByText("Others see you as").getByTitle(ownId).waitFor();
  await ada.client.download({ file_id: fileId });
  await dialog.getByText("Has it", { exact: true }).waitFor();
  await dialog.getByText(`${NAME} has`).waitFor();
  await dialog.getByRole("link", { name: "Give this node a name" }).click();
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
});

it("says in the dialog whom it has sent the file before, and sends it again", async () => {
  const { file_id: fileId } = await session.own.client.upload(new TextEncoder().encode("again"), {
    name: "again.txt",
  });
  await session.own.client.invite((await ada.client.nodeInfo()).node_id, fileId);
  const page = await session.open("#/files");
  await page.getByRole("button", { name: "More for again.txt" }).click();
  await page.getByRole("menuitem", { name: "Send to a peer…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Send/ });
  await dialog.getByText("asked before").waitFor();
  await dialog.getByRole("button", { name: `Send to ${NAME}` }).click();
  await dialog.getByText("Asked", { exact: true }).waitFor();
  expect(await dialog.getByText("asked before").count()).toBe(0);
});

it("sends what was just shared from its card, several files as one folder", async () => {
  const page = await session.open("#/files");
  const files = ["one", "two"].map((name) => ({
    name: `${name}.txt`,
    mimeType: "text/plain",
    buffer: Buffer.from(`photo ${name}`),
  }));
  await page.getByLabel("Files to share").setInputFiles(files);
  const card = page.getByRole("region", { name: "Just shared" });
  await card.getByRole("button", { name: "Send to a peer…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Send one and 1 more/ });
  await dialog.getByRole("button", { name: `Send to ${NAME}` }).click();
  await dialog.getByText("Asked", { exact: true }).waitFor();
  expect((await ada.client.invitations()).invitations.at(-1)?.name).toMatch(/^one and 1 more\./);
});

it("tells on the card of what was just shared who has some of it, and who has it, those too that have gone", async () => {
  const page = await session.open("#/files");
  const { node_id: adaId } = await ada.client.nodeInfo();
  let told: { peers: string[]; complete_peers: number } | undefined;
  await page.route(/\/files\/network$/, async (route) => {
    const { files } = await session.own.client.files();
    const id = files.find(({ name }) => name === "map.txt")?.id;
    const offers = told === undefined ? [] : [{ id, name: "map.txt", size: 8, ...told }];
    await route.fulfill({ json: { files: offers, total: offers.length } });
  });
  const map = { name: "map.txt", mimeType: "text/plain", buffer: Buffer.from("treasure") };
  await page.getByLabel("Files to share").setInputFiles(map);
  const status = page.getByRole("region", { name: "Just shared" }).getByRole("status").first();
  const says = (words: string) => expect.poll(() => status.textContent()).toContain(words);
  await says("send the link, and keep this page open until they have it");
  told = { peers: [adaId], complete_peers: 0 };
  await says(`${NAME} has some of it; keep this page open until they have it`);
  told = { peers: [adaId], complete_peers: 1 };
  await says(`${NAME} has it; keep this page open for others`);
  expect(await axeViolations(page)).toEqual([]);
  told = undefined;
  await page.waitForResponse(/\/files\/network$/);
  await untilTold(page);
  expect(await status.textContent()).toContain(`${NAME} has it`);
});

it("tells that somebody has got what was just shared", async () => {
  const page = await session.open("#/files");
  const song = { name: "song.txt", mimeType: "text/plain", buffer: Buffer.from("la la la") };
  await page.getByLabel("Files to share").setInputFiles(song);
  const card = page.getByRole("region", { name: "Just shared" });
  await card.getByText("song.txt is shared").waitFor();
  const { files } = await session.own.client.files();
  const id = files.find(({ name }) => name === "song.txt")?.id ?? "";
  await ada.client.download({ file_id: id });
  await expect.poll(() => card.getByRole("status").first().textContent()).toContain(`${NAME} has it`);
});

it("a sender's long name leaves what can be done about it in sight, under large letters too", async () => {
  const page = await session.open("#/files", { ...PHONE, viewport: { width: 320, height: 640 } });
  await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
  const name = "W".repeat(64);
  await ada.client.changeSettings({ name });
  await until("the name is known", async () =>
    (await session.own.client.peers()).peers.some((peer) => peer.name === name),
  );
  await invite("w.txt", "w");
  const leave = page.locator(".corner-card").filter({ hasText: "w.txt" }).getByRole("button");
  await leave.waitFor();
  const { y, height } = (await leave.boundingBox()) ?? { y: 640, height: 0 };
  expect(y + height).toBeLessThanOrEqual(640);
  await leave.click();
  await leave.waitFor({ state: "detached" });
  await ada.client.changeSettings({ name: NAME });
});

it("what gets the focus is not left beneath what peers send, however near the end of the screen", async () => {
  for (let at = 0; at < 12; at++) {
    await session.own.client.upload(new TextEncoder().encode(`${at}`), { name: `beneath ${at}.txt` });
  }
  for (const device of [{}, PHONE]) {
    const page = await openWithTwo(device);
    await page.getByRole("button", { name: "More for beneath 0.txt" }).waitFor();
    expect(await coveredInTurn(page)).toEqual([]);
  }
});

it("what peers send can be answered in a window as low as at 400 % zoom, and what is beside it be seen", async () => {
  const page = await openWithTwo({ viewport: { width: 320, height: 256 } });
  for (const card of await page.locator(".corner-card").all()) {
    for (const part of [card.locator("p"), ...(await card.locator(".button").all())]) {
      await part.scrollIntoViewIfNeeded();
      expect((await part.boundingBox())?.y, (await part.textContent()) ?? "").toBeGreaterThanOrEqual(0);
      expect(await isAnyOfItSeen(part)).toBe(true);
    }
  }
  const choose = page.getByRole("button", { name: "Choose files" });
  await choose.focus();
  expect(await isAnyOfItSeen(choose)).toBe(true);
});

/** The screen of files with two cards, of invitations that the node does not know. */
async function openWithTwo(device: BrowserContextOptions): Promise<Page> {
  const peer_id = (await ada.client.nodeInfo()).node_id;
  const invitations = [`first ${LONG}.txt`, `second ${LONG}.txt`].map((name) => {
    return { id: name, file_id: name, name, size: 1, peer_id, peer_name: NAME, received_at: new Date(0) };
  });
  const page = await session.open("#/files", device);
  await page.route("**/api/v1/invitations", (route) => route.fulfill({ json: { invitations, total: 2 } }));
  await page.reload();
  await page.locator(".corner-card").nth(1).waitFor();
  return page;
}

/** Whether at its middle or near a corner of it nothing stands before it. */
function isAnyOfItSeen(element: Locator): Promise<boolean> {
  return element.evaluate(isSeen);
}

/** Called in a page. */
function isSeen(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [0.5, 0.1, 0.9].some((share) => {
    const seen = document.elementFromPoint(left + width * share, top + height * share);
    return seen !== null && element.contains(seen);
  });
}

/** The words of those buttons of the screen of which nothing is seen once they have the focus, each in its turn. */
function coveredInTurn(page: Page): Promise<(string | null)[]> {
  return page.locator("main button:visible").evaluateAll(async (buttons, isSeenSource) => {
    const isSeen: (element: Element) => boolean = new Function(`return ${isSeenSource}`)();
    const covered: (string | null)[] = [];
    for (const button of buttons as HTMLButtonElement[]) {
      button.focus();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      if (document.activeElement !== button || !isSeen(button)) covered.push(button.textContent);
    }
    return covered;
  }, `${isSeen}`);
}

it("says what to do instead where nobody is connected", async () => {
  const page = await session.open("#/files");
  await page.route("**/api/v1/node/peers*", (route) => route.fulfill({ json: { peers: [], total: 0 } }));
  await page.reload();
  await page.getByRole("button", { name: "More for for Ada.txt" }).click();
  await page.getByRole("menuitem", { name: "Send to a peer…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Send/ });
  await dialog.getByText("Nobody is connected").waitFor();
  await dialog.getByRole("button", { name: "Copy link" }).click();
  await dialog.getByText("Link copied.").waitFor();
});
