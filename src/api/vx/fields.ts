/**
 * Fields of the index's requests and answers, as schemas. Called by the routes of this folder. A field that the
 * contract gives an error code of its own names it in its issue; json-route makes the VxError.
 */
import { z } from "@hono/zod-openapi";
import { VxError } from "../../vx/errors.ts";
import { DEFAULT_K, MAX_K } from "../../vx/limits.ts";
import type { Shape } from "../json-reader.ts";
import type { VxRefusal } from "../refusals.ts";
import { MAX_QUERY_VECTORS } from "./limits.ts";

/** An id arrives as the text that stood there, so that none is ever rounded. */
export const IdText = z
  .custom<string | null | undefined>()
  .transform((text, context) => {
    const id = text == null ? undefined : exactInteger(text);
    if (id !== undefined) return id;
    context.addIssue(
      text === undefined ? missing() : coded("invalid_id", "must be an integer from 0 to 9007199254740991"),
    );
    return z.NEVER;
  })
  .openapi({ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const Vector = z
  .custom<Float32Array>()
  .superRefine((value, context) => {
    if (value === undefined) context.addIssue(missing());
    else if (!(value instanceof Float32Array)) {
      context.addIssue(coded("invalid_vector", "must be an array of numbers"));
    }
  })
  .openapi({
    type: "array",
    items: { type: "number" },
    description: "As many numbers as the index's dimension",
  });

export const VectorList = z
  .array(Vector)
  .max(MAX_QUERY_VECTORS)
  .openapi({
    type: "array",
    items: { type: "array", items: { type: "number" } },
    maxItems: MAX_QUERY_VECTORS,
  });

/** Refusals of routes that take vectors. */
export const VECTOR_REFUSALS: VxRefusal[] = ["invalid_vector", "dimension_mismatch"];

/** Metadata arrives as its text, which the index checks and keeps to the letter. */
export const MetadataText = z
  .string()
  .nullish()
  .refine((text) => text == null || text.startsWith("{"), "must be an object")
  .transform((text) => text ?? undefined)
  .openapi({
    type: ["object", "null"],
    additionalProperties: true,
    description: "Any JSON object; kept exactly. null: none",
  });

/**
 * How it is read. One that is too long is refused as soon as it is, since an empty vector takes three bytes of a body
 * and hundreds of memory.
 */
export function vectorListShape(field: string): Shape {
  return {
    of: "numbers",
    map(vector, at) {
      if (at < MAX_QUERY_VECTORS) return vector;
      throw new VxError("invalid_request", `${field}: must have at most ${MAX_QUERY_VECTORS} entries`);
    },
  };
}

const PageNumber = z.int().min(1).optional();

/** Which part of a ranking is wanted. */
export const Range = z.object({
  k: z
    .int()
    .min(1)
    .max(MAX_K)
    .default(DEFAULT_K)
    .openapi({ description: "Nearest neighbours to find in all" }),
  page: PageNumber.openapi({
    description:
      "Part of these, counted from 1; without page_size all of them. Each is a search of its own, among what is there then",
  }),
  page_size: PageNumber,
  pageSize: PageNumber.openapi({ description: "Another spelling of page_size" }),
});

export function pageSizeOf(range: z.output<typeof Range>): number | undefined {
  return range.page_size ?? range.pageSize;
}

export const Metadata = z
  .record(z.string(), z.unknown())
  .openapi({ description: "Empty where there is none" });

/** An id in an answer; beyond 2^53 - 1 only where the library put it there. */
export const Id = z.int().min(0);

/** How a record is read from JSON. */
export const RECORD_SHAPE: Shape = { keys: { id: "text", vector: "numbers", metadata: "text" } };

/** The integer from 0 to 2^53 - 1 that a number of JSON is, as `1e2` and `5.0` are; undefined for any other text. */
export function exactInteger(text: string): number | undefined {
  const [, whole, fraction = "", exponent = "0"] =
    /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  let significant = digits.length;
  while (digits[significant - 1] === "0") significant -= 1;
  const lowestPower = Number(exponent) + whole.length - significant;
  if (significant === 0) return 0;
  const number = Number(text);
  return lowestPower >= 0 && number > 0 && Number.isSafeInteger(number) ? number : undefined;
}

/** What an issue of a field with a code of its own looks like. */
export type CodedIssue = {
  code: "custom";
  message: string;
  params: { vxCode: "invalid_id" | "invalid_vector" };
};

function coded(vxCode: CodedIssue["params"]["vxCode"], message: string): CodedIssue {
  return { code: "custom", message, params: { vxCode } };
}

function missing() {
  return { code: "custom" as const, message: "is required" };
}
