/**
 * Arrow's file format as the stream inside it. Called by vector-file; calls apache-arrow where a writer left out the
 * stream's schema. Source: "Arrow Columnar Format", IPC File Format; Message.fbs.
 *
 * | bytes | what                                                    |
 * | ----- | ------------------------------------------------------- |
 * | 8     | `ARROW1`, two zeros                                     |
 * | n     | the stream: a schema message, then record batches       |
 * | m     | the footer: the schema again, and where the batches are |
 * | 4     | m, little-endian                                        |
 * | 6     | `ARROW1`                                                |
 */
export const ARROW_MAGIC = "ARROW1";

const HEAD_BYTES = 8;
const TAIL_BYTES = 10;

/** The first message's own head stands within this. */
const MESSAGE_HEAD_BYTES = 1024;
const CONTINUATION = 0xffffffff;
/** Of the union MessageHeader. */
const SCHEMA_HEADER = 1;

/** @throws Error for a file without its end */
export async function arrowStreamIn(file: Blob): Promise<Blob | Uint8Array<ArrayBuffer>> {
  const tail = new DataView(await file.slice(-TAIL_BYTES).arrayBuffer());
  const magic = await file.slice(-ARROW_MAGIC.length).text();
  const footerBytes = tail.byteLength === TAIL_BYTES ? tail.getInt32(0, true) : -1;
  const end = file.size - TAIL_BYTES - footerBytes;
  if (magic !== ARROW_MAGIC || footerBytes < 0 || end < HEAD_BYTES) {
    throw new Error("This Arrow file is cut off: its end is missing.");
  }
  const stream = file.slice(HEAD_BYTES, end);
  return (await beginsWithSchema(stream)) ? stream : await streamOf(file);
}

async function beginsWithSchema(stream: Blob): Promise<boolean> {
  const head = new DataView(await stream.slice(0, MESSAGE_HEAD_BYTES).arrayBuffer());
  try {
    // Writers before Arrow 0.15 have the length alone.
    const message = head.getUint32(0, true) === CONTINUATION ? 8 : 4;
    const table = message + head.getUint32(message, true);
    const fields = table - head.getInt32(table, true);
    const headerType = head.getUint16(fields, true) > 6 ? head.getUint16(fields + 6, true) : 0;
    return headerType !== 0 && head.getUint8(table + headerType) === SCHEMA_HEADER;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Arrow's JavaScript writer keeps the schema in the footer alone. */
async function streamOf(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const { tableFromIPC, tableToIPC } = await import("apache-arrow");
  const table = tableFromIPC(new Uint8Array(await file.arrayBuffer()));
  return new Uint8Array(tableToIPC(table, "stream"));
}
