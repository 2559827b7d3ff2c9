/** Search as built nodes do it: the model and the readers of texts in their threads, excerpts over the network. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { busyPdf, docx, widePdf } from "../unit/search/documents.ts";
import { childrenOf, isThere, stateOf } from "./child-processes.ts";
import { on } from "./shoal-command.ts";
import { type ShoalProcess, Shoals } from "./shoal-process.ts";
import { until } from "./until.ts";

const flags = ["--search"];

const pdf = () => readFile(join(import.meta.dirname, "../fixtures/documents/sourdough.pdf"));

async function indexed(node: ShoalProcess, count: number): Promise<void> {
  await until(`${count} files are in the index`, async () => {
    const status = await node.client.searchStatus();
    return status.indexed === count && status.pending === 0;
  });
}

describe("search of built nodes", () => {
  const shoals = new Shoals();
  let sharer: ShoalProcess;
  beforeAll(async () => {
    sharer = await shoals.start({ flags });
  });
  afterAll(() => shoals[Symbol.asyncDispose]());

  it("finds documents by what they are about, here and at others", async () => {
    await sharer.client.upload(new Uint8Array(await pdf()), { name: "scan001.pdf" });
    const minutes = docx("Minutes", "Quarterly revenue rose by ten percent while profit margins fell.");
    await sharer.client.upload(minutes, { name: "minutes.docx" });
    await indexed(sharer, 2);

    const { files, ranked_by } = await sharer.client.files({ q: "how to make a loaf of bread" });
    expect(ranked_by).toBe("meaning");
    expect(files[0]).toMatchObject({ name: "scan001.pdf", why: ["content"] });
    expect(files[0]?.excerpt).toContain("dough");
    const map = await sharer.client.fileMap();
    expect(map.points.map(({ name, kind }) => [name, kind])).toEqual([
      ["scan001.pdf", "document"],
      ["minutes.docx", "document"],
    ]);
    const filter = "type = 'application/pdf' AND size > 1000";
    const narrowed = (await sharer.client.files({ q: "company earnings and bread", filter })).files;
    expect(narrowed.map(({ name }) => name)).toEqual(["scan001.pdf"]);
    expect((await on(sharer, "search", "company earnings", "--limit", "1")).stdout).toMatch(
      /content +minutes\.docx/,
    );
    expect((await on(sharer, "search", "", "--filter", "name LIKE 'min%'")).stdout).toMatch(
      /^ID .*\n\S+ {2}\S+ \S+ +minutes\.docx\n$/,
    );
    const bread = files[0]?.id ?? "";
    expect((await on(sharer, "similar", bread)).stdout).toMatch(/ minutes\.docx$/m);

    const seeker = await shoals.start({ flags, bootstrap: [sharer] });
    await until("the excerpts are heard of and embedded", async () => {
      const found = await seeker.client.networkFiles({ q: "how to make a loaf of bread", limit: 1 });
      return found.files[0]?.name === "scan001.pdf" && found.ranked_by === "meaning";
    });
    expect(
      JSON.parse((await on(seeker, "search", "scan001.pdf", "--network", "--json")).stdout).files[0],
    ).toMatchObject({
      name: "scan001.pdf",
      score: 1,
    });
    await seeker.kill();
  });

  it("lives on where a document fills its reader's memory, and finds it by its name", async () => {
    const node = await shoals.start({ flags });
    await node.client.upload(widePdf("bread"), { name: "widths.pdf" });
    await indexed(node, 1);
    expect((await node.client.files({ q: "widths" })).files).toMatchObject([{ name: "widths.pdf" }]);
    expect(await node.stop()).toBe(0);
  });

  it("leaves no reader behind that a document keeps busy, when it is killed", async () => {
    const node = await shoals.start({ flags });
    await node.client.upload(busyPdf("bread"), { name: "busy.pdf" });
    const reader = await until("the document keeps its reader busy", async () => {
      const [id] = await childrenOf(node.child.pid as number, "texts-process");
      return id !== undefined && (await stateOf(id)).processorMs > 1000 ? id : undefined;
    });
    await node.kill();
    await until("its reader has ended", () => !isThere(reader), 20_000);
  });

  it("leaves no process behind, whether a node is killed or is interrupted together with it", async () => {
    await sharer.client.upload(new Uint8Array(await pdf()), { name: "scan001.pdf" });
    const { total } = await sharer.client.files();
    for (const end of ["kill", "interrupt"] as const) {
      const node = sharer.isRunning ? sharer : await shoals.start({ flags, folder: sharer.folder });
      await indexed(node, total);
      // What was indexed before needs no model; a question does.
      await node.client.files({ q: "bread" });
      const children = await childrenOf(node.child.pid as number);
      expect(children).not.toEqual([]);
      if (end === "kill") await node.kill();
      else {
        for (const id of children) process.kill(id, "SIGINT");
        expect((await node.client.files({ q: "a loaf of bread" })).files).toHaveLength(1);
        expect(await childrenOf(node.child.pid as number)).toEqual(children);
        expect(await node.stop()).toBe(0);
      }
      await until("its processes have ended", () => !children.some(isThere));
      expect(node.log.join("\n")).not.toContain("is not to be had");
    }
  });

  it("finds files by name alone where it is switched off, and says so", async () => {
    const node = await shoals.start();
    await node.client.upload(new Uint8Array(await pdf()), { name: "scan001.pdf" });
    expect(await node.client.searchStatus()).toMatchObject({ state: "off", model: null });
    expect((await on(node, "search", "scan")).stdout).toMatch(/name +scan001\.pdf\n\(by name alone/);
  });
});
