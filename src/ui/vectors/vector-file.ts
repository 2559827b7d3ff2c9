/**
 * A file of vectors on its way into the index, never parsed here, so that a large one does not hold up the page. Called
 * by add-vectors; calls the client. Arrow's two forms: a stream, sent as it is; and the file format, which is a stream
 * between `ARROW1\0\0` and a footer ("Arrow Columnar Format", IPC File Format).
 */
import type { Client } from "../../client/vx-client.ts";
import { bytesText } from "../elements/quantities.ts";
import { MAX_JSON_FILE_BYTES } from "./limits.ts";

const ARROW_MAGIC = "ARROW1";
/** The magic and two bytes that align what follows. */
const ARROW_HEAD_BYTES = 8;
/** The footer's length as int32, and the magic again. */
const ARROW_TAIL_BYTES = 10;

/** Gives how many vectors were added. @throws VxError; Error for what is no such file */
export async function addVectorFile(vx: Client, file: File): Promise<number> {
  if (file.size === 0) throw new Error("The file is empty.");
  const head = await textOf(file.slice(0, 64));
  if (head.startsWith(ARROW_MAGIC)) return await vx.appendFromArrow(await arrowStreamIn(file));
  const first = head.replace(/^\uFEFF/, "").trimStart()[0];
  if (first !== "[" && first !== "{") return await vx.appendFromArrow(file);
  if (file.size > MAX_JSON_FILE_BYTES) {
    throw new Error(
      `A JSON file may have ${bytesText(MAX_JSON_FILE_BYTES)}; this one has ${bytesText(file.size)}. Split it, or save it as Arrow.`,
    );
  }
  return await vx.batchAddJson(first === "[" ? new Blob(['{"vectors":', file, "}"]) : file);
}

/** The messages of an Arrow file without what stands around them. */
async function arrowStreamIn(file: Blob): Promise<Blob> {
  const tail = new DataView(await file.slice(-ARROW_TAIL_BYTES).arrayBuffer());
  const magic = await textOf(file.slice(-ARROW_MAGIC.length));
  const footerBytes = tail.byteLength === ARROW_TAIL_BYTES ? tail.getInt32(0, true) : -1;
  const end = file.size - ARROW_TAIL_BYTES - footerBytes;
  if (magic !== ARROW_MAGIC || footerBytes < 0 || end < ARROW_HEAD_BYTES) {
    throw new Error("This Arrow file is cut off: its end is missing.");
  }
  return file.slice(ARROW_HEAD_BYTES, end);
}

async function textOf(blob: Blob): Promise<string> {
  return await blob.text();
}
