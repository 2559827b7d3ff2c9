/**
 * The kinds of values that settings take, each from text (flags, environment) or from what a YAML or JSON file
 * holds. Called by settings.ts; calls zod.
 */
import { z } from "zod";
import { parseDuration } from "../../vx/config.ts";
import { VxError } from "../../vx/errors.ts";

/** 1024 and 1000 based units, as in `10GiB` and `10GB`. */
const UNIT_BYTES: Record<string, number> = {
  "": 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Bytes meant by `10GiB`, `1.5 MB`, `4096`; undefined for anything else. */
export function parseByteSize(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([kmgt]?i?b?)$/i.exec(text.trim()) ?? [];
  const unitBytes = UNIT_BYTES[unit.toLowerCase()];
  if (number === undefined || unitBytes === undefined) return undefined;
  const bytes = Math.round(Number(number) * unitBytes);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** What a file may hold in place of a value, such as a list or nothing, is refused in the words for a wrong one. */
const NO_SWITCH = "is neither on nor off";
const NO_SHARE = "is no number from 0 to 1";
const NO_SIZE = "is no size such as 500MB or 10GiB";
const NO_RATE = "is no rate such as 500kB or 2MiB/s";
const NO_DURATION = "is no time such as 30s, 5m or 1h";
const NO_TEXT = 'is no text (in a file, put it into quotes: "...")';
const NO_TEXTS = "is neither a text nor a list of texts";
const NO_HTTP_URL = "is no http or https URL";

const TRUE = new Set(["true", "1", "yes", "on"]);
const FALSE = new Set(["false", "0", "no", "off"]);

/** A switch. */
export const onOff = z.union([z.boolean(), z.string()], NO_SWITCH).transform((value, context) => {
  if (typeof value === "boolean") return value;
  const word = value.toLowerCase();
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  return refuse(context, NO_SWITCH);
});

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  const problem = `is no whole number from ${min} to ${max}`;
  return z.union([z.number(), z.string()], problem).transform((value, context) => {
    const number = typeof value === "number" ? value : /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    return refuse(context, problem);
  });
}

/** A number from 0 to 1. */
export const share = z.union([z.number(), z.string()], NO_SHARE).transform((value, context) => {
  const number = typeof value === "number" ? value : /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= 0 && number <= 1 ? number : refuse(context, NO_SHARE);
});

/** A size in bytes above zero. */
export const byteSize = z.union([z.number(), z.string()], NO_SIZE).transform((value, context) => {
  const bytes = parseByteSize(String(value));
  return bytes !== undefined && bytes > 0 ? bytes : refuse(context, NO_SIZE);
});

/** Bytes a second above zero; `/s` may stand behind. */
export const byteRate = z.union([z.number(), z.string()], NO_RATE).transform((value, context) => {
  const bytes = parseByteSize(String(value).replace(/\/s$/, ""));
  return bytes !== undefined && bytes > 0 ? bytes : refuse(context, NO_RATE);
});

/** A span of time such as `5m`, or milliseconds; handed on as it is. */
export const duration = z.union([z.number(), z.string()], NO_DURATION).superRefine((value, context) => {
  try {
    parseDuration("", value);
  } catch (error) {
    if (!(error instanceof VxError)) throw error;
    context.addIssue({ code: "custom", message: NO_DURATION });
  }
});

/** One text, not empty. */
export const text = z.string(NO_TEXT).min(1, "is empty");

/** Several texts, each once: a flag repeated, a list in a file, or parted by commas. */
export const textList = textsPartedBy(",");

/** The same of which a text may hold commas itself: those part it that `comma` matches. */
export function textsPartedBy(comma: string | RegExp) {
  return z
    .union([z.string(), z.array(z.string())], NO_TEXTS)
    .transform((value) => (typeof value === "string" ? [value] : value).flatMap((item) => item.split(comma)))
    .transform((items) => [...new Set(items.map((item) => item.trim()).filter((item) => item !== ""))]);
}

/** Several paths, each once: a flag repeated or a list in a file; a path may hold a comma, so nothing parts it. */
export const pathList = z
  .union([z.string(), z.array(z.string())], NO_TEXTS)
  .transform((value) => (typeof value === "string" ? [value] : [...new Set(value)]))
  .refine((paths) => !paths.includes(""), "is empty");

/** An absolute URL over HTTP, which names nobody: fetch sends to none that does. */
export const httpUrl = z
  .string(NO_HTTP_URL)
  .refine(isHttpUrl, { error: NO_HTTP_URL, abort: true })
  .refine(namesNobody, "must not carry a user or password");

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function namesNobody(value: string): boolean {
  const { username, password } = new URL(value);
  return username === "" && password === "";
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
