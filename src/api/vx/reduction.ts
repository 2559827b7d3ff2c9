/** Dimensionality reduction: vectors reduced without being added, and a new model on demand. Called by routes. */
import { createRoute, z } from "@hono/zod-openapi";
import { VxError } from "../../vx/errors.ts";
import { VECTOR } from "../examples.ts";
import { jsonAnswer, KEY_REQUIRED } from "../hono-app.ts";
import { BODY_REFUSALS, vxRefusals } from "../refusals.ts";
import { VECTOR_REFUSALS, VectorList, vectorListShape } from "./fields.ts";
import { postJson, type VxApp } from "./json-route.ts";
import { MAX_REDUCED_NUMBERS } from "./limits.ts";
import type { VxIndex } from "./ports.ts";
import { arrayTexts, objectTexts } from "./results.ts";

const Refitted = z
  .object({
    success: z.literal(true),
    vector_count: z.int().min(0),
    reduced_dimension: z.int().min(1).openapi({ description: "Numbers in a reduced vector" }),
  })
  .openapi("RefittedModel");

export type Refitted = z.infer<typeof Refitted>;

export function reductionRoutes(app: VxApp, index: VxIndex): void {
  postJson(
    app,
    {
      path: "/reduce",
      operationId: "reduceVectors",
      summary: "Vectors with fewer dimensions, by the index's reduction; added nowhere",
      description:
        "Refused with `reduction_disabled` where the index does not reduce, and with `conflict` until it has a model.",
      body: z.object({ vectors: VectorList }),
      example: { vectors: [VECTOR] },
      shape: { keys: { vectors: vectorListShape("vectors") } },
      answer: z.object({ vectors: z.array(z.array(z.number())) }),
      answered: "In the order given",
      refusals: [...VECTOR_REFUSALS, "reduction_disabled", "conflict"],
    },
    async ({ vectors }) => {
      const reduced = await index.reduceVectors(vectors);
      if (reduced.length * (reduced[0]?.length ?? 0) > MAX_REDUCED_NUMBERS) {
        const message = `One answer may bring ${MAX_REDUCED_NUMBERS} numbers: ask for fewer vectors at a time`;
        throw new VxError("invalid_request", message);
      }
      return objectTexts(
        "vectors",
        arrayTexts(reduced, (vector) => `[${vector.join(",")}]`),
      );
    },
  );

  const refitRoute = createRoute({
    method: "post",
    path: "/admin/refit",
    operationId: "refitReduction",
    summary: "Fit a new model of reduction to the vectors that are there now",
    description:
      "Answers when searches use it; they and additions go on meanwhile. `fit_progress` of the metrics tells how far it is.",
    security: KEY_REQUIRED,
    responses: {
      ...jsonAnswer(Refitted, "In use"),
      ...vxRefusals(
        401,
        ...BODY_REFUSALS,
        "reduction_disabled",
        "conflict",
        "capacity_exceeded",
        503,
        "storage_full",
      ),
    },
  });
  app.hono.openapi(refitRoute, async (c) => {
    const { vectorCount, reducedDimension } = await index.refit();
    const refitted = { vector_count: vectorCount, reduced_dimension: reducedDimension };
    return c.json({ success: true as const, ...refitted }, 200);
  });
}
