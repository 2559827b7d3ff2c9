/**
 * Which paths there are and which methods each takes, read from the OpenAPI registry, so that 404, 405 and
 * "open without a key" are decided before any handler runs. Called by app; a path that is spelt out wins over
 * one with parameters (`/files/share` is no file id).
 */
import { ApiError, isNodePath } from "./errors.ts";
import type { ApiHono } from "./hono-app.ts";

/**
 * What a route takes as its body: nothing, JSON, JSON or nothing, or bytes that its handler reads itself, as all of the
 * index do.
 */
export type BodyKind = "none" | "json" | "optional json" | "stream";

interface PathEntry {
  segments: string[];
  /** By method, upper case; HEAD stands beside each GET. */
  methods: Map<string, BodyKind>;
  open: boolean;
}

export interface RouteTable {
  /** Whether a path is served to anyone, without a key. */
  isOpen(path: string): boolean;
  /** The body that method and path take. @throws ApiError 404, 405 */
  match(method: string, path: string): BodyKind;
}

/** `missing`: what is said of a path that is not there. */
export function createRouteTable(app: ApiHono, missing: string): RouteTable {
  const entries = readEntries(app);
  const find = (path: string) => findEntries(entries, path.split("/"));
  return {
    isOpen: (path) => find(path).some((entry) => entry.open),
    match(method, path) {
      const found = find(path);
      if (found.length === 0) throw new ApiError(404, missing);
      const body = found.map((entry) => entry.methods.get(method)).find((kind) => kind !== undefined);
      if (body !== undefined) return body;
      const allow = [...new Set(found.flatMap((entry) => [...entry.methods.keys()]))].sort().join(", ");
      throw new ApiError(405, `Method not allowed; this path takes ${allow}`, { Allow: allow });
    },
  };
}

function readEntries(app: ApiHono): PathEntry[] {
  const entries = new Map<string, PathEntry>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== "route") continue;
    const { path, method, security, request } = definition.route;
    const entry = entries.get(path) ?? { segments: path.split("/"), methods: new Map(), open: false };
    entries.set(path, entry);
    entry.open ||= security?.length === 0;
    entry.methods.set(method.toUpperCase(), bodyKind(path, request?.body));
    if (method === "get") entry.methods.set("HEAD", "none");
  }
  return [...entries.values()];
}

function bodyKind(path: string, body: { required?: boolean; content: object } | undefined): BodyKind {
  if (body === undefined) return "none";
  if (!isNodePath(path) || !("application/json" in body.content)) return "stream";
  return body.required === true ? "json" : "optional json";
}

function findEntries(entries: PathEntry[], segments: string[]): PathEntry[] {
  const matching = entries.filter(
    (entry) =>
      entry.segments.length === segments.length &&
      entry.segments.every((own, index) =>
        isParameter(own) ? segments[index] !== "" : own === segments[index],
      ),
  );
  const spelt = matching.find((entry) => !entry.segments.some(isParameter));
  return spelt === undefined ? matching : [spelt];
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}
