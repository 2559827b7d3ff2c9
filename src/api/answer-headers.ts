/**
 * Headers of answers as the OpenAPI document tells them, and what it says once for all routes. Called by refusals, docs and
 * the resources whose answers carry some of their own.
 */

type HeaderObject = { description: string; schema: { type: "string" | "integer" } };

export type HeaderObjects = Record<string, HeaderObject>;

const text = (description: string): HeaderObject => ({ description, schema: { type: "string" } });
const seconds = (description: string): HeaderObject => ({ description, schema: { type: "integer" } });

/** By status, of refusals on any route. */
export const REFUSAL_HEADERS: Record<number, HeaderObjects> = {
  401: { "WWW-Authenticate": text("`Bearer`, with `error` where a key was given") },
  416: { "Content-Range": text("`bytes */SIZE`: how long the file is") },
  429: { "Retry-After": seconds("Seconds until a request is served again") },
  503: { "Retry-After": seconds("Seconds after which to try again, where that is known") },
};

const ETAG = { ETag: text("Names these bytes; for If-None-Match, and of a file for If-Match and If-Range") };

/** Of the bytes of a file. What strangers shared must not run on this origin. */
export const CONTENT_HEADERS: HeaderObjects = {
  ...ETAG,
  "Accept-Ranges": text("`bytes`; `none` for an archive"),
  "Content-Disposition": text(
    "`inline` for media types that are safe to show, else `attachment`; the file's name",
  ),
  "Content-Security-Policy": text("A sandbox"),
  "Cross-Origin-Embedder-Policy": text("`require-corp`"),
  "Cross-Origin-Resource-Policy": text("`same-origin`"),
};

export const RANGE_HEADERS: HeaderObjects = {
  ...CONTENT_HEADERS,
  "Content-Range": text("`bytes FIRST-LAST/SIZE`"),
};

export const UNCHANGED_HEADERS: HeaderObjects = {
  ...ETAG,
  "Accept-Ranges": text("`bytes`; `none` for an archive"),
};

export const LOCATION: HeaderObjects = { Location: text("Path of the file") };

export const ATTACHMENT: HeaderObjects = { "Content-Disposition": text("`attachment`; the name") };

export const EVENT_STREAM_HEADERS: HeaderObjects = {
  "X-Accel-Buffering": text("`no`: a proxy between must hand events on as they come"),
};

export const DOCS_HEADERS: HeaderObjects = {
  "Content-Security-Policy": text("Nothing from elsewhere is loaded"),
};

/** Of blocks and DAGs, which never change (IPFS Trustless Gateway). */
export const GATEWAY_HEADERS: HeaderObjects = {
  ...ETAG,
  ...ATTACHMENT,
  Vary: text("`Accept`"),
  "X-Ipfs-Path": text("What was asked for"),
  "X-Ipfs-Roots": text("The CID"),
};

/** Head of the document: what holds for every route. */
export const ABOUT = `The node stands beneath \`/api/v1\`, the index of vectors beside it.

Routes with a lock take a key: \`Authorization: Bearer KEY\`. \`shoal generate-api-key\` makes one, and a node's first start tells one or where it lies; a page of Shoal has its own on the screen API, and for its programs \`await shoal.apiKey()\`.

To try a call at \`/api/v1/docs\`: press Authorize, give the key, open a route, fill in what it asks for and press Execute. It is carried out: what is deleted is gone.

A refusal is \`{"error": true, "code": 404, "message": "..."}\` beneath \`/api/v1\`, and \`{"error": {"code": "not_found", "message": "..."}}\` elsewhere; the message says what is wrong. A method that a path does not take is refused with 405 and \`Allow\`; every GET may be a HEAD.

Vectors of the examples have three numbers: an index that is made with \`--vx-dimension 3\` takes them, and every other refuses them with \`dimension_mismatch\`. \`dimension\` in \`/admin/metrics\` tells how many this one takes.

Where requests are counted (a headless node's \`--rate-limit\`, 100 a minute beneath \`/api/v1\` by default, and \`--vx-rate-limit\`), answers have \`RateLimit-Policy\` and \`RateLimit\`, which tell how many are left and for how many seconds. Answers have \`X-Content-Type-Options\` and \`Cache-Control\`; for sites of \`--cors-origin\` also \`Access-Control-Allow-Origin\`, \`Access-Control-Expose-Headers\` and \`Vary\`.

Sizes are bytes, speeds bytes a second, times ISO 8601 in UTC.`;
