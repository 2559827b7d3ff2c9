/**
 * Search among files: parameters and fields that the lists of files have for it, files like another one, and how far reading
 * has come. Called by app and by files; calls search/file-search.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { FileSearch, SearchAnswer, SearchHit } from "../search/file-search.ts";
import type { Scope } from "../search/known-file.ts";
import { DEFAULT_HITS, MAX_FILTER_CHARS, MAX_HITS, MAX_QUERY_CHARS } from "../search/limits.ts";
import { MEDIA_TYPES } from "../search/media-types.ts";
import { ApiError } from "./errors.ts";
import { Bytes, FileId, FileIdParam, fileIdInPath } from "./fields.ts";
import { type ApiHono, jsonAnswer, KEY_REQUIRED, ListQuery, Total } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { refusals } from "./refusals.ts";

export const SearchQuery = ListQuery.extend({
  q: z
    .string()
    .max(MAX_QUERY_CHARS)
    .optional()
    .openapi({
      description: `What is looked for, by name and by meaning; then \`limit\` is ${DEFAULT_HITS} by default`,
    }),
  filter: z
    .string()
    .max(MAX_FILTER_CHARS)
    .optional()
    .openapi({
      description:
        "One SQL expression over the columns name, type (media type), kind, size, " +
        "created_at, complete, local, network and holders, as in `kind = 'document' AND size < 1000000`, with texts in " +
        "single quotes; only files that were read already can match. The kind is told by the extension of the name alone, and is one of " +
        `${Object.keys(MEDIA_TYPES).join(", ")}: notes.txt is text, notes.pdf a document`,
    }),
});

type SearchQuery = z.infer<typeof SearchQuery>;

const Score = z.number().min(0).max(1).openapi({
  description: "For comparing hits of one search alone; 1 where the name is what was looked for",
});

export const HitFields = z.object({
  score: Score,
  why: z
    .array(z.enum(["name", "content"]))
    .openapi({ description: "What fits: its name, what it holds, or both" }),
  excerpt: z.string().openapi({
    description:
      "What it holds that fits best, or its beginning; empty where nothing is known of its content",
  }),
});

/** `name`: there is no model, or not yet. */
export const RankedBy = z.enum(["meaning", "name"]).openapi({
  description: "By meaning and name, or by name alone: search is off, loading or out of order",
});

/** What is told of a file that may be here, with others, or both. */
const AnyFile = z.object({
  id: FileId,
  name: z.string(),
  size: Bytes,
  local: z.boolean().openapi({ description: "Held here, whole or in part" }),
  peers: z.array(z.string()).openapi({ description: "Other peers that hold it or some of it" }),
});

const SimilarFile = AnyFile.extend(HitFields.shape).openapi("SimilarFile");

export const ScopeQuery = z.object({
  scope: z.enum(["all", "local", "network"]).default("all").openapi({
    description: "Files held here, those that others offer, or all of them",
  }),
});

const SearchStatus = z
  .object({
    state: z.enum(["off", "idle", "loading", "ready", "failed"]).openapi({
      description:
        "off: switched off; idle: there was no file to find yet; failed: tried again after a while. Files are found by name in all of them",
    }),
    model: z.string().nullable().openapi({ description: "Name and version of what makes vectors of texts" }),
    indexed: z.int().min(0).openapi({ description: "Files found by meaning" }),
    pending: z.int().min(0).openapi({ description: "Files that still have to be read" }),
    problem: z.string().nullable().openapi({ description: "Why it failed" }),
  })
  .openapi("SearchStatus");

export type SimilarFile = z.infer<typeof SimilarFile>;
export type SearchStatus = z.infer<typeof SearchStatus>;
export type RankedBy = z.infer<typeof RankedBy>;

/** Whether something is looked for; a query of nothing but spaces is one that is being typed. */
export function isSearch(query: SearchQuery): query is SearchQuery & { q: string } {
  return query.q !== undefined && query.q.trim() !== "";
}

/** The hits on the page that the query asks for. @throws ApiError 404, what FileSearch.search throws */
export async function findFiles(
  search: FileSearch | undefined,
  { q, filter, limit = DEFAULT_HITS, offset = 0 }: SearchQuery & { q: string },
  scope: Scope,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const upTo = Math.min(MAX_HITS, offset + limit);
  const answer = await present(search).search({ text: q, scope, limit: upTo, filter }, signal);
  return { ...answer, hits: answer.hits.slice(offset) };
}

/** Ids of the files that a list is narrowed to, or undefined for all. @throws ApiError 404, what FileSearch.matching throws */
export async function filesMatching(
  search: FileSearch | undefined,
  { filter }: SearchQuery,
  scope: Scope,
): Promise<Set<string> | undefined> {
  return filter === undefined ? undefined : await present(search).matching(filter, scope);
}

export function hitBody({ score, why, excerpt }: Omit<SearchHit, "file">): z.infer<typeof HitFields> {
  // What follows the fourth decimal is the noise of floating point.
  return { score: Math.round(Math.min(1, Math.max(0, score)) * 1e4) / 1e4, why, excerpt };
}

export function searchRoutes(app: ApiHono, { search }: NodePorts): void {
  if (search === undefined) return;

  const statusRoute = createRoute({
    method: "get",
    path: "/api/v1/search",
    operationId: "getSearchStatus",
    summary: "How far search by meaning is",
    security: KEY_REQUIRED,
    responses: { ...jsonAnswer(SearchStatus, "The status"), ...refusals() },
  });
  app.openapi(statusRoute, (c) => {
    const { model, problem, ...status } = search.status();
    return c.json({ ...status, model: model ?? null, problem: problem ?? null }, 200);
  });

  const similarRoute = createRoute({
    method: "get",
    path: "/api/v1/files/{file_id}/similar",
    operationId: "listSimilarFiles",
    summary: "Files like one that is here or offered, the most similar first",
    security: KEY_REQUIRED,
    request: {
      params: FileIdParam,
      query: ScopeQuery.extend({ limit: ListQuery.shape.limit }),
    },
    responses: {
      ...jsonAnswer(
        z.object({ files: z.array(SimilarFile), total: Total, ranked_by: RankedBy }),
        "The files, without the one given",
      ),
      ...refusals(400, 404),
    },
  });
  app.openapi(similarRoute, async (c) => {
    const { limit = DEFAULT_HITS, scope } = c.req.valid("query");
    const fileId = fileIdInPath(c.req.valid("param").file_id);
    const { hits, total, rankedBy } = await search.similar(fileId, scope, Math.min(limit, MAX_HITS));
    const files = hits.map((hit) => ({
      id: hit.file.fileId,
      name: hit.file.name,
      size: hit.file.sizeBytes,
      local: hit.file.isLocal,
      peers: [...hit.file.holders],
      ...hitBody(hit),
    }));
    return c.json({ files, total, ranked_by: rankedBy }, 200);
  });
}

function present(search: FileSearch | undefined): FileSearch {
  if (search === undefined) throw new ApiError(404, "There is no search here");
  return search;
}
