/**
 * A file of vectors on its way into the index, never parsed here, so that a large one does not hold up the page. Called
 * by add-by-file; calls the client, and arrow-file for Arrow's file format, which the node takes as a stream.
 */
import type { Client } from "../../client/vx-client.ts";
import { bytesText } from "../elements/quantities.ts";
import { ARROW_MAGIC, arrowStreamIn } from "./arrow-file.ts";
import { MAX_JSON_FILE_BYTES } from "./limits.ts";

/** Read at a time, until something is no white space. */
const HEAD_BYTES = 64 * 1024;

const UTF8_MARK = [0xef, 0xbb, 0xbf];

/** Gives how many vectors were added. @throws VxError; Error for what is no such file */
export async function addVectorFile(vx: Client, file: File): Promise<number> {
  if (file.size === 0) throw new Error("The file is empty.");
  const magic = await file.slice(0, ARROW_MAGIC.length).text();
  if (magic === ARROW_MAGIC) return await vx.appendFromArrow(await arrowStreamIn(file));
  const first = await firstOfJson(file);
  if (first === undefined) {
    if (await isText(file)) throw new Error("The file is neither JSON nor Arrow.");
    return await vx.appendFromArrow(file);
  }
  if (file.size > MAX_JSON_FILE_BYTES) {
    throw new Error(
      `A JSON file may have ${bytesText(MAX_JSON_FILE_BYTES)}; this one has ${bytesText(file.size)}. Split it, or save it as Arrow.`,
    );
  }
  const text = await unmarked(file);
  return await vx.batchAddJson(first === "[" ? new Blob(['{"vectors":', text, "}"]) : text);
}

/** Without the mark that some programs put before UTF-8, and JSON has none of (RFC 8259, 8.1). */
async function unmarked(file: File): Promise<Blob> {
  const head = new Uint8Array(await file.slice(0, UTF8_MARK.length).arrayBuffer());
  return UTF8_MARK.every((byte, at) => head[at] === byte) ? file.slice(UTF8_MARK.length) : file;
}

/** Whether the node, when it finds a fault, keeps what stands before it: JSON is all or nothing, Arrow is so by batches. */
export async function isAddedByBatches(file: File): Promise<boolean> {
  return (await firstOfJson(file)) === undefined;
}

/**
 * A stream of Arrow begins with the length of its first message, behind a mark of -1 or not: the fourth byte of either
 * is no letter.
 */
async function isText(file: File): Promise<boolean> {
  const [fourth = 0] = new Uint8Array(await file.slice(3, 4).arrayBuffer());
  return fourth !== 0 && fourth !== 0xff;
}

async function firstOfJson(file: File): Promise<"[" | "{" | undefined> {
  for (let at = 0; at < file.size; at += HEAD_BYTES) {
    const [first] = (await file.slice(at, at + HEAD_BYTES).text()).trimStart();
    if (first !== undefined) return first === "[" || first === "{" ? first : undefined;
  }
  return undefined;
}
