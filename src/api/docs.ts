/**
 * The OpenAPI 3.1 document, made from the schemas that validate requests, and a page to read it with. Both are
 * open. The page loads nothing from elsewhere: its host hands in the files of swagger-ui-dist and the icon. Called by app,
 * after all other resources; calls route-groups.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { ABOUT, DOCS_HEADERS } from "./answer-headers.ts";
import { ApiError } from "./errors.ts";
import { type ApiHono, jsonAnswer } from "./hono-app.ts";
import type { ApiPorts, DocsAssetName } from "./ports.ts";
import { openRefusals } from "./refusals.ts";
import { grouped } from "./route-groups.ts";

/** Browsers ask for icons past a service worker, so the icon is part of the page. */
const page = (iconUrl: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shoal API</title>
<link rel="icon" href="${iconUrl}">
<link rel="stylesheet" href="/api/v1/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/api/v1/docs/swagger-ui-bundle.js"></script>
<script src="/api/v1/docs/start.js"></script>
</body>
</html>
`;

/** Fields are open to be filled in from the start, since who reads wants to try. */
const START_SCRIPT = `SwaggerUIBundle({ url: "/api/v1/openapi.json", dom_id: "#swagger-ui", validatorUrl: null, tryItOutEnabled: true });\n`;

/** swagger-ui sets style attributes and shows images from data URLs. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ASSET_TYPES: Record<Exclude<DocsAssetName, "icon.svg">, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
};

export function docsRoutes(app: ApiHono, { version, docsAssets }: ApiPorts): void {
  const documentRoute = createRoute({
    method: "get",
    path: "/api/v1/openapi.json",
    operationId: "getOpenApi",
    summary: "This document",
    security: [],
    responses: { ...jsonAnswer(z.record(z.string(), z.unknown()), "OpenAPI 3.1"), ...openRefusals() },
  });
  let document: object | undefined;
  app.openapi(documentRoute, (c) => {
    const info = { title: "Shoal", version, description: ABOUT };
    document ??= grouped(app.getOpenAPI31Document({ openapi: "3.1.0", info }));
    return c.json({ ...document }, 200);
  });
  if (docsAssets === undefined) return;

  const pageRoute = createRoute({
    method: "get",
    path: "/api/v1/docs",
    operationId: "getDocs",
    summary: "A page to read this document with",
    security: [],
    responses: {
      200: {
        description: "The page",
        content: { "text/html": { schema: z.string() } },
        headers: DOCS_HEADERS,
      },
      ...openRefusals(),
    },
  });
  app.openapi(pageRoute, async () => {
    const icon = new TextDecoder().decode(await docsAssets("icon.svg"));
    const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`;
    return asset(page(iconUrl), "text/html; charset=utf-8");
  });

  const assetRoute = createRoute({
    method: "get",
    path: "/api/v1/docs/{name}",
    operationId: "getDocsAsset",
    summary: "Style and scripts of the page",
    security: [],
    request: { params: z.object({ name: z.string() }) },
    responses: {
      200: {
        description: "The file",
        content: { "text/javascript": { schema: z.string() }, "text/css": { schema: z.string() } },
        headers: DOCS_HEADERS,
      },
      ...openRefusals(404),
    },
  });
  app.openapi(assetRoute, async (c) => {
    const { name } = c.req.valid("param");
    if (name === "start.js") return asset(START_SCRIPT, ASSET_TYPES["swagger-ui-bundle.js"]);
    if (!isAssetName(name)) throw new ApiError(404, "No such path");
    return asset(await docsAssets(name), ASSET_TYPES[name]);
  });
}

function asset(body: string | Uint8Array<ArrayBuffer>, contentType: string): Response {
  return new Response(body, {
    headers: { "Content-Type": contentType, "Content-Security-Policy": CONTENT_SECURITY_POLICY },
  });
}

function isAssetName(name: string): name is keyof typeof ASSET_TYPES {
  return Object.hasOwn(ASSET_TYPES, name);
}
