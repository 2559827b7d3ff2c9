/**
 * The files of the built page, served as they stand when they are asked for, also those of a build made meanwhile. Made by
 * open-web; called by web-app. Each may stand there compressed as well, made by the build.
 */
import type { Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { CommandError } from "../command-error.ts";
import { unlessAbsent } from "../files/disk-errors.ts";
import { pageHeaders } from "./page-headers.ts";

/** Encodings that the build makes, the shortest first, and the suffix of their files. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Names that lead nowhere but into the folder. */
const PATHNAME = /^(\/[\w-][\w.-]*)+$/;

export interface PageFiles {
  has(pathname: string): Promise<boolean>;
  /** The answer to GET or HEAD; undefined where no file is. */
  answer(request: Request, pathname: string): Promise<Response | undefined>;
}

/** @throws CommandError `start_failed` where the page was not built */
export async function openPageFiles(folder: string): Promise<PageFiles> {
  const pathOf = (pathname: string) => {
    const isPacked = ENCODINGS.some(([, suffix]) => pathname.endsWith(suffix));
    return PATHNAME.test(pathname) && !isPacked ? join(folder, pathname) : undefined;
  };
  const nameOf = (pathname: string) => (pathname === "/" ? "/index.html" : pathname);
  const has = async (pathname: string) => {
    const path = pathOf(nameOf(pathname));
    return path !== undefined && (await unlessAbsent(stat(path)))?.isFile() === true;
  };
  if (!(await has("/"))) {
    throw new CommandError("start_failed", `the page is not built (${folder} is empty): npm run build`);
  }

  return {
    has,
    async answer(request, pathname) {
      const path = pathOf(nameOf(pathname));
      if (path === undefined) return undefined;
      const accepted = acceptedEncodings(request.headers.get("accept-encoding") ?? "");
      for (const [encoding, suffix] of [...ENCODINGS, ["identity", ""] as const]) {
        if (suffix !== "" && !accepted.has(encoding)) continue;
        const handle = await unlessAbsent(open(path + suffix));
        if (handle === undefined) continue;
        const headers = new Headers({ ...pageHeaders(nameOf(pathname)), Vary: "Accept-Encoding" });
        if (suffix !== "") headers.set("Content-Encoding", encoding);
        return await answerFrom(handle, request, headers, encoding);
      }
      return undefined;
    },
  };
}

/** Size, tag and bytes are of the one file that is open, whatever takes its place. */
async function answerFrom(
  handle: FileHandle,
  request: Request,
  headers: Headers,
  encoding: string,
): Promise<Response | undefined> {
  let isSent = false;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const etag = tagOf(stats, encoding);
    headers.set("ETag", etag);
    if (request.headers.get("if-none-match")?.includes(etag)) {
      headers.delete("Content-Encoding");
      return new Response(null, { status: 304, headers });
    }
    headers.set("Content-Length", String(stats.size));
    if (request.method === "HEAD" || stats.size === 0) return new Response(null, { headers });
    isSent = true;
    const bytes = Readable.toWeb(handle.createReadStream({ end: stats.size - 1 }));
    return new Response(bytes as ReadableStream<Uint8Array>, { headers });
  } finally {
    if (!isSent) await handle.close();
  }
}

/** Packages give all of their files one time of writing; that of the last change no build leaves as it was. */
function tagOf({ size, ctimeMs }: Stats, encoding: string): string {
  return `"${size}-${ctimeMs}-${encoding}"`;
}

/** RFC 9110, 12.5.3: names that are not refused by a weight of zero. In one pass: anybody may send a header of blanks alone. */
function acceptedEncodings(header: string): Set<string> {
  const accepted = new Set<string>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    if (weight === undefined || Number(weight) > 0) accepted.add(name);
  }
  return accepted;
}
