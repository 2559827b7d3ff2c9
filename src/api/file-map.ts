/**
 * The map of files: where each lies by what it is about. Called by app; calls search/file-search.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { fileTypeOf } from "../search/file-kind.ts";
import type { FilePoint } from "../search/file-map.ts";
import { MAX_MAP_POINTS } from "../search/limits.ts";
import { Bytes, FileId } from "./fields.ts";
import { type ApiHono, jsonAnswer, KEY_REQUIRED, Total } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { refusals } from "./refusals.ts";
import { ScopeQuery } from "./search.ts";

const MapPoint = z
  .object({
    x: z.number(),
    y: z.number(),
    file_id: FileId,
    name: z.string(),
    type: z.string().openapi({ description: "Media type, by its name" }),
    kind: z.string().openapi({ description: "What people call it: image, document, source code, ..." }),
    size: Bytes,
    local: z.boolean().openapi({ description: "Held here, whole or in part" }),
    holders: z.int().min(0).openapi({ description: "How many other peers hold it or some of it" }),
  })
  .openapi("MapPoint");

export type MapPoint = z.infer<typeof MapPoint>;

export function fileMapRoutes(app: ApiHono, { search }: NodePorts): void {
  if (search === undefined) return;

  const mapRoute = createRoute({
    method: "get",
    path: "/api/v1/files/map",
    operationId: "getFileMap",
    summary: "Where files lie by what they are about: near where that is alike",
    description:
      `Of more than ${MAX_MAP_POINTS} files an even sample. The axes are the two directions in which texts differ most, ` +
      "so that places change a little with every file that comes or goes.",
    security: KEY_REQUIRED,
    request: { query: ScopeQuery },
    responses: {
      ...jsonAnswer(
        z.object({
          points: z.array(MapPoint),
          total: Total.openapi({ description: "Files that were read, whether or not they have a point" }),
        }),
        "The points",
      ),
      ...refusals(400, 409),
    },
  });
  app.openapi(mapRoute, async (c) => {
    const { points, total } = await search.map(c.req.valid("query").scope);
    return c.json({ points: points.map(pointBody), total }, 200);
  });
}

function pointBody({ file, x, y }: FilePoint): MapPoint {
  const { fileId, name, sizeBytes, isLocal, holders } = file;
  const { kind, mediaType } = fileTypeOf(name);
  return {
    x,
    y,
    file_id: fileId,
    name,
    type: mediaType,
    kind,
    size: sizeBytes,
    local: isLocal,
    holders: holders.length,
  };
}
