/**
 * The one file in a multipart/form-data body, streamed. Called by uploads.
 * Sources: RFC 7578 (form-data), RFC 2046 section 5.1.1 (boundaries).
 *
 *   --boundary CRLF headers CRLF CRLF bytes CRLF --boundary CRLF ... CRLF --boundary-- anything
 *
 * The bytes of the file end only when the rest of the form was seen to be whole and to hold no second file, so
 * that whoever stores them learns of a broken form before it commits.
 */
import { equals } from "multiformats/bytes";
import { SharingError } from "../sharing/errors.ts";
import { ByteReader } from "./byte-reader.ts";
import { dispositionParameter } from "./content-disposition.ts";
import {
  MAX_BOUNDARY_CHARS,
  MAX_PART_FIELD_BYTES,
  MAX_PART_FIELDS,
  MAX_PART_HEADER_BYTES,
} from "./limits.ts";

export interface FormFile {
  /** As the client gave it so far: of a form it is known for certain once the bytes have ended. */
  name: () => string | undefined;
  bytes: AsyncIterable<Uint8Array>;
}

/** The boundary that a Content-Type names, or undefined if it is not multipart/form-data with a sound one. */
export function formBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const match = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? "";
  return /^[\w'()+,\-./:=? ]*[\w'()+,\-./:=?]$/.test(boundary) && boundary.length <= MAX_BOUNDARY_CHARS
    ? boundary
    : undefined;
}

/**
 * Reads up to the file; a field `name` before or behind it names it. `passOver` is called with the name of each other field,
 * and may throw. @throws SharingError `bad_request`
 */
export async function openFormFile(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  passOver: (field: string) => void,
): Promise<FormFile> {
  const encoder = new TextEncoder();
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  // The first boundary may open the body, without a line before it.
  const reader = new ByteReader(body, encoder.encode("\r\n"));
  await reader.collect(delimiter, MAX_PART_HEADER_BYTES);

  let nameField: string | undefined;
  let fieldCount = 0;

  async function isEmptyPart(): Promise<boolean> {
    return equals(await reader.peek(delimiter.length), delimiter);
  }

  /** The next part that is a file; fields on the way are read and counted. */
  async function nextFile(): Promise<{ name: string } | undefined> {
    for (;;) {
      const disposition = await nextDisposition(reader);
      if (disposition === undefined) return undefined;
      const name = dispositionParameter(disposition, "filename");
      // Without name and bytes: what a browser sends of a field in which no file was chosen.
      if (name !== undefined && (name !== "" || !(await isEmptyPart()))) return { name };
      fieldCount += 1;
      if (fieldCount > MAX_PART_FIELDS) throw new SharingError("bad_request", "The form has too many fields");
      const field = dispositionParameter(disposition, "name") ?? "";
      if (field !== "name") passOver(field);
      const value = await reader.collect(delimiter, MAX_PART_FIELD_BYTES);
      if (field === "name") nameField = new TextDecoder().decode(value);
    }
  }

  const file = await nextFile();
  if (file === undefined) throw new SharingError("bad_request", "The form holds no file");
  // A field that was left empty, as in a page's form, names nothing.
  return { name: () => nameField || file.name, bytes: fileBytes() };

  async function* fileBytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* reader.until(delimiter);
      if ((await nextFile()) !== undefined)
        throw new SharingError("bad_request", "The form holds more than one file");
    } finally {
      await reader.close();
    }
  }
}

/** The Content-Disposition of the part that begins here, after its boundary; undefined after the last. */
async function nextDisposition(reader: ByteReader): Promise<string | undefined> {
  if (new TextDecoder().decode(await reader.peek(2)) === "--") return undefined;
  const padding = await reader.line(MAX_PART_HEADER_BYTES);
  if (!/^[ \t]*$/.test(padding)) throw new SharingError("bad_request", "The form has a malformed boundary");
  let disposition: string | undefined;
  let headerBytes = 0;
  for (let line = await reader.line(MAX_PART_HEADER_BYTES); line !== ""; ) {
    headerBytes += line.length;
    if (headerBytes > MAX_PART_HEADER_BYTES)
      throw new SharingError("bad_request", "A part's headers are too long");
    const value = /^content-disposition\s*:\s*form-data(.*)$/i.exec(line)?.[1];
    disposition ??= value;
    line = await reader.line(MAX_PART_HEADER_BYTES);
  }
  if (disposition === undefined) throw new SharingError("bad_request", "A part of the form has no name");
  return disposition;
}
