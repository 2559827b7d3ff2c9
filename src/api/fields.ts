/**
 * Fields that several resources share, as schemas: file ids, paths, names, timestamps. Called by the resources;
 * calls sharing/file-id, which takes every spelling in use.
 */
import { z } from "@hono/zod-openapi";
import { parseFileId } from "../sharing/file-id.ts";
import { MAX_PATH_CHARS } from "../sharing/limits.ts";
import { ApiError } from "./errors.ts";
import { FILE_ID } from "./examples.ts";
import { MAX_NAME_CHARS, MAX_QUOTED_CHARS } from "./limits.ts";

/** The one spelling that the node uses, or undefined for what is no file id. */
function canonicalFileId(text: string): string | undefined {
  try {
    return parseFileId(text).toString();
  } catch {
    return undefined;
  }
}

/** The file id in a path; what is no CID names no file. @throws ApiError 404 */
export function fileIdInPath(text: string): string {
  const fileId = canonicalFileId(text);
  if (fileId === undefined) throw new ApiError(404, "File not found");
  return fileId;
}

/** A file id in a body, handed on in its one spelling. */
export const FileIdInBody = z
  .string()
  .transform((text, context) => {
    const fileId = canonicalFileId(text);
    if (fileId !== undefined) return fileId;
    context.addIssue({ code: "custom", message: "is not a content id (CID)" });
    return z.NEVER;
  })
  .openapi({ type: "string", description: "Content id of the file, in any CID spelling" });

export const FileIdParam = z.object({
  file_id: z.string().openapi({ description: "Content id of the file, in any CID spelling" }),
});

/** A UUID of ours in a path, which programs may write in upper case. Source: RFC 9562, section 4. */
export const UuidInPath = z.string().toLowerCase().openapi({ format: "uuid" });

export const TransferIdParam = z.object({ transfer_id: UuidInPath });

const withoutNul = (text: string) => !text.includes("\0");

export const PathText = z.string().min(1).max(MAX_PATH_CHARS).refine(withoutNul, "must not contain NUL");

export const NameText = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARS)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
  .regex(/^[^\u0000-\u001f\u007f]*$/, "must not contain control characters");

/** ISO 8601 UTC, ending in Z. */
export const Timestamp = z.iso
  .datetime()
  .openapi({ description: "ISO 8601, UTC", example: "2026-11-29T08:00:00.000Z" });

export const FileId = z
  .string()
  .openapi({ description: "Content id of the file: CIDv1 in base32", example: FILE_ID });

export const Bytes = z.int().min(0).openapi({ description: "Bytes", example: 1_048_576 });

export const BytesPerSecond = z.int().min(0).openapi({ description: "Bytes a second", example: 4_194_304 });

/** All that there is to answer: it was done, in words. */
export const Done = z.object({ success: z.literal(true), message: z.string() });

export const SentStatus = z.enum(["sent", "downloading", "downloaded"]).openapi({
  description: "What is known of the peer: nothing yet, that it has begun to download, or that it has all",
});

export const UnlistedOnShare = z.boolean().optional().openapi({
  description:
    "true: peers are not told of it, and one that knows its id gets it; left out: as it was, and a new file is listed",
});

export const Fraction = z.number().min(0).max(1);

/** A whole number in a query, which is text; the bounds are part of the range. */
export function queryInteger(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^-?\d+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .openapi({ type: "integer", minimum, maximum });
}

/** A header that the route reads itself, told of in the OpenAPI document; every value of it is taken. */
export function requestHeader(description: string) {
  return z.string().optional().openapi({ description });
}

/**
 * Names with commas between, in a query. What it refuses it says by the name that is wrong, which has no place of its
 * own there.
 */
export function nameList<Names extends readonly [string, ...string[]]>(of: Names, description: string) {
  const isOne = (name: string): name is Names[number] => of.includes(name);
  return z
    .string()
    .transform((text, context) => {
      const names = text.split(",").map((name) => name.trim());
      const unknown = names.find((name) => !isOne(name));
      if (unknown === undefined) return names.filter(isOne);
      const said =
        unknown === "" ? "a name is missing" : `there is no "${unknown.slice(0, MAX_QUOTED_CHARS)}"`;
      context.addIssue({
        code: "custom",
        message: `${said}; it takes ${of.join(", ")}, with commas between`,
      });
      return z.NEVER;
    })
    .openapi({ type: "string", description });
}
