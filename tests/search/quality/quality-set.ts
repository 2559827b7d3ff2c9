/**
 * Labelled documents and queries for search by meaning, written for it: each query names what one document is about, mostly in
 * other words. Used by the benchmark and a test. A file of documents is a list of `=== name`, each followed by its text.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface LabelledDocument {
  name: string;
  content: string;
}

export interface LabelledQuery {
  text: string;
  /** The document that is meant. */
  name: string;
}

const QUERIES = "queries.txt";

export async function readDocuments(): Promise<LabelledDocument[]> {
  const names = (await readdir(import.meta.dirname)).filter(
    (name) => /\.txt$/.test(name) && name !== QUERIES,
  );
  const texts = await Promise.all(
    names.sort().map((name) => readFile(join(import.meta.dirname, name), "utf8")),
  );
  return texts.flatMap((text) =>
    text
      .split(/^=== /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        return { name: part.slice(0, end), content: part.slice(end + 1) };
      }),
  );
}

export async function readQueries(): Promise<LabelledQuery[]> {
  const text = await readFile(join(import.meta.dirname, QUERIES), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [query, name] = line.split(" | ");
    return { text: query as string, name: name as string };
  });
}
