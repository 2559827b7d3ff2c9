/**
 * GET and HEAD /ipfs/{cid}: blocks and whole DAGs of local files for anyone, as a trustless gateway. The reader
 * verifies by hash, so no key is asked for; Host checks and the rate limit hold. Given to app by a host where it is switched on.
 * Sources: IPFS Trustless Gateway specification, CARv1, IPIP-402 (dag-scope), IPIP-412 (order, dups).
 */
import { createRoute, z } from "@hono/zod-openapi";
import { CarWriter } from "@ipld/car/writer";
import { code as DAG_PB, decode as decodeDagPb } from "@ipld/dag-pb";
import type { CID } from "multiformats/cid";
import { readCid } from "../sharing/file-id.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { GATEWAY_HEADERS } from "./answer-headers.ts";
import { bodyStream } from "./body-stream.ts";
import { IfNoneMatch, namesEtag } from "./content.ts";
import { ApiError } from "./errors.ts";
import type { ApiHono } from "./hono-app.ts";
import { GATEWAY_PIECE_BYTES, MAX_CID_CHARS, MAX_IDENTITY_BYTES } from "./limits.ts";
import type { NodePorts } from "./ports.ts";
import { clientKey } from "./rate-limit.ts";
import { vxRefusals } from "./refusals.ts";

const RAW = "application/vnd.ipld.raw";
const CAR = "application/vnd.ipld.car";
const CAR_PARAMETERS = "; version=1; order=dfs; dups=y";

/** Multihash code of bytes that stand in the CID itself. */
const IDENTITY = 0x00;

/** Blocks are named by their hash and never change: 48 weeks, as the specification's examples have it. */
const CACHE_CONTROL = "public, max-age=29030400, immutable";

type Format = "raw" | "car";

export function gatewayRoutes(app: ApiHono, { node }: NodePorts): void {
  const binary = { schema: z.string().openapi({ type: "string", format: "binary" }) };
  const route = createRoute({
    method: "get",
    path: "/ipfs/{cid}",
    operationId: "getIpfsContent",
    summary: "A block, or a whole DAG as CAR, of a local file",
    security: [],
    request: {
      params: z.object({ cid: z.string() }),
      query: z.object({
        format: z.enum(["raw", "car"]).optional(),
        "dag-scope": z.enum(["block", "entity", "all"]).optional(),
        "entity-bytes": z.literal("0:*").optional(),
      }),
      headers: z.object({ "If-None-Match": IfNoneMatch }),
    },
    responses: {
      200: {
        description: "Verifiable bytes",
        content: { [RAW]: binary, [CAR]: binary },
        headers: GATEWAY_HEADERS,
      },
      304: { description: "The reader's copy is the same", headers: GATEWAY_HEADERS },
      ...vxRefusals(400, 404, 406, 429),
    },
  });
  app.openapi(route, async (c) => {
    const query = c.req.valid("query");
    const cid = parseCid(c.req.valid("param").cid);
    const format = query.format ?? acceptedFormat(c.req.header("accept"));
    const wholeDag = query["dag-scope"] !== "block";
    const headers = blockHeaders(cid, format, wholeDag);
    const root = await readBlock(node, cid, c.req.raw.signal);
    if (root === undefined) throw new ApiError(404, "Block not found");
    if (namesEtag(c.req.header("if-none-match") ?? null, headers.get("ETag") ?? "")) {
      return new Response(null, { status: 304, headers });
    }
    headers.set("Content-Type", format === "raw" ? RAW : CAR + CAR_PARAMETERS);
    if (format === "raw") headers.set("Content-Length", String(root.length));
    const reader = clientKey(c.env.address);
    const body = bodyStream((signal) => {
      const bytes = format === "raw" ? [root] : carBytes(node, cid, wholeDag, signal);
      return asAllowed(bytes, (sizeBytes) => node.mayUpload(reader, sizeBytes, signal));
    }, c.req.raw.signal);
    return new Response(body, { headers });
  });
}

type Blocks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** As fast as the upload rate has it. */
async function* asAllowed(
  blocks: Blocks,
  mayUpload: (sizeBytes: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of inPieces(blocks)) {
    await mayUpload(piece.length);
    yield piece;
  }
}

/**
 * Of one length, but for the last: who waits for a whole block under a low rate would take the node for gone, and the
 * lengths and ids that stand between those of a CAR would each have a turn.
 */
async function* inPieces(blocks: Blocks): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(GATEWAY_PIECE_BYTES);
  let sizeBytes = 0;
  for await (const block of blocks) {
    for (let at = 0; at < block.length; ) {
      const part = block.subarray(at, at + piece.length - sizeBytes);
      piece.set(part, sizeBytes);
      at += part.length;
      sizeBytes += part.length;
      if (sizeBytes < piece.length) continue;
      yield piece;
      piece = new Uint8Array(GATEWAY_PIECE_BYTES);
      sizeBytes = 0;
    }
  }
  if (sizeBytes > 0) yield piece.subarray(0, sizeBytes);
}

/** @throws ApiError 400 */
function parseCid(text: string): CID {
  try {
    if (text.length <= MAX_CID_CHARS) return readCid(text);
  } catch {
    // Told below, as for one that is too long.
  }
  throw new ApiError(400, "Not a content id (CID)");
}

/** @throws ApiError 406 */
function acceptedFormat(accept: string | undefined): Format {
  const types = (accept ?? "").split(",").map((entry) => entry.trim().toLowerCase());
  for (const type of types) {
    if (type.startsWith(RAW)) return "raw";
    if (type.startsWith(CAR) && !/version=(?!1\b)/.test(type)) return "car";
  }
  throw new ApiError(406, "Only ?format=raw and ?format=car, or their media types, can be given");
}

function blockHeaders(cid: CID, format: Format, wholeDag: boolean): Headers {
  const etag = format === "raw" ? `"${cid}.raw"` : `W/"${cid}.car.${wholeDag ? "all" : "block"}"`;
  return new Headers({
    "Content-Disposition": `attachment; filename="${cid}.${format === "raw" ? "bin" : "car"}"`,
    "Cache-Control": CACHE_CONTROL,
    ETag: etag,
    Vary: "Accept",
    "X-Ipfs-Path": `/ipfs/${cid}`,
    "X-Ipfs-Roots": String(cid),
  });
}

/** The bytes of a block; those of an identity CID are in the CID, which serves as a probe (`bafkqaaa`). */
async function readBlock(node: SharingNode, cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (cid.multihash.code !== IDENTITY) return await node.readBlock(cid.toV1(), signal);
  return cid.multihash.digest.length <= MAX_IDENTITY_BYTES ? cid.multihash.digest : undefined;
}

/** CARv1 of the DAG, depth first with repeats. Only one block and the path of links to it are held. */
async function* carBytes(
  node: SharingNode,
  root: CID,
  wholeDag: boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { writer, out } = CarWriter.create([root]);
  const written = writeDag();
  // A failure reaches the reader through `written`, awaited below; the writer is closed either way.
  written.catch(() => writer.close());
  yield* out;
  await written;

  async function writeDag(): Promise<void> {
    const stack: CID[] = [root];
    for (let cid = stack.pop(); cid !== undefined; cid = stack.pop()) {
      signal.throwIfAborted();
      const bytes = await readBlock(node, cid, signal);
      if (bytes === undefined) throw new ApiError(404, "Block not found");
      // The specification keeps bytes that stand in an id out of a CAR.
      if (cid.multihash.code !== IDENTITY) await writer.put({ cid, bytes });
      if (wholeDag && cid.code === DAG_PB) {
        stack.push(
          ...decodeDagPb(bytes)
            .Links.map((link) => link.Hash)
            .reverse(),
        );
      }
    }
    await writer.close();
  }
}
