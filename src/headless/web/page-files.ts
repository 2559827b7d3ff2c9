/**
 * The files of the built page, served as they stand: the list of them is made at start, so that no request names a path
 * on disk. Made by open-web; called by web-app. Each may stand there compressed as well, made by the build.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { CommandError } from "../command-error.ts";
import { hasCode } from "../disk-errors.ts";
import { pageHeaders } from "./page-headers.ts";

/** Encodings that the build makes, the shortest first, and the suffix of their files. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

interface PageFile {
  path: string;
  headers: Record<string, string>;
  /** Hash of the bytes before they are compressed. */
  hash: string;
  /** Sizes in bytes by encoding; `identity` is always there. */
  sizes: Map<string, number>;
}

export interface PageFiles {
  has(pathname: string): boolean;
  /** The answer to GET or HEAD of a path that is there. */
  answer(request: Request, pathname: string): Response;
}

/** @throws CommandError `start_failed` where the page was not built */
export async function openPageFiles(folder: string): Promise<PageFiles> {
  const files = await listFiles(folder);
  const find = (pathname: string) => files.get(pathname === "/" ? "/index.html" : pathname);

  return {
    has: (pathname) => find(pathname) !== undefined,
    answer(request, pathname) {
      const file = find(pathname);
      if (file === undefined) throw new Error(`no file of the page is at ${pathname}`);
      const accepted = acceptedEncodings(request.headers.get("accept-encoding") ?? "");
      const [encoding, suffix] = ENCODINGS.find(([name]) => accepted.has(name) && file.sizes.has(name)) ?? [
        "identity",
        "",
      ];
      const etag = `"${file.hash}-${encoding}"`;
      const headers = new Headers({ ...file.headers, ETag: etag, Vary: "Accept-Encoding" });
      if (request.headers.get("if-none-match")?.includes(etag))
        return new Response(null, { status: 304, headers });
      if (suffix !== "") headers.set("Content-Encoding", encoding);
      headers.set("Content-Length", String(file.sizes.get(encoding)));
      if (request.method === "HEAD") return new Response(null, { headers });
      const bytes = Readable.toWeb(createReadStream(file.path + suffix)) as ReadableStream<Uint8Array>;
      return new Response(bytes, { headers });
    },
  };
}

async function listFiles(folder: string): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>();
  try {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || ENCODINGS.some(([, suffix]) => entry.name.endsWith(suffix))) continue;
      const path = join(entry.parentPath, entry.name);
      const pathname = `/${relative(folder, path).replaceAll(sep, "/")}`;
      files.set(pathname, await describe(path, pathname));
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  if (!files.has("/index.html")) {
    throw new CommandError("start_failed", `the page is not built (${folder} is empty): npm run build`);
  }
  return files;
}

async function describe(path: string, pathname: string): Promise<PageFile> {
  const bytes = await readFile(path);
  const sizes = new Map([["identity", bytes.byteLength]]);
  for (const [name, suffix] of ENCODINGS) {
    try {
      sizes.set(name, (await stat(path + suffix)).size);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  }
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return { path, headers: pageHeaders(pathname), hash, sizes };
}

/** RFC 9110, 12.5.3: names that are not refused by a weight of zero. */
function acceptedEncodings(header: string): Set<string> {
  return new Set(
    header
      .split(",")
      .map((part) =>
        part
          .trim()
          .toLowerCase()
          .split(/\s*;\s*q=/),
      )
      .filter(([, weight]) => weight === undefined || Number(weight) > 0)
      .map(([name]) => name ?? ""),
  );
}
