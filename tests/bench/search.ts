/**
 * `npm run bench search -- [part] [pairs]`: search by meaning. Parts: `model` (how well documents are found, what a text and a
 * search take, what a page fetches) and `transfer` (what a running transfer loses, by so many pairs); by default both.
 */
import { readDocuments } from "../search/quality/quality-set.ts";
import { measureModel } from "./search-model.ts";
import { compareTransfers } from "./search-transfer.ts";

const part = process.argv[2] ?? "all";
const pairs = Number(process.argv[3] ?? 100);
if (part === "all" || part === "model") await measureModel();
if (part === "all" || part === "transfer") {
  const documents = await readDocuments();
  await compareTransfers(
    documents.map(({ content }) => content),
    pairs,
  );
}
