/**
 * The package entry `shoal/client`: clients of a node's REST API and of its index's, for Node.js, browsers and all else that has
 * fetch.
 *
 *   const node = new ShoalClient("http://127.0.0.1:8081", { apiKey });
 *   const { file_id } = await node.share("movie.mp4");
 *   for await (const { event, data } of node.events()) console.log(event, data);
 *
 *   const index = new Client("http://127.0.0.1:8081", { apiKey });
 *   await index.add(1, [0.1, 0.9, 0.2], { category: "science" });
 */
export {
  type FileList,
  type FileListOptions,
  type FileMapOptions,
  type ListOptions,
  type ShareOptions,
  ShoalClient,
  type SimilarOptions,
  type TransferListOptions,
  type UploadOptions,
} from "./client.ts";
export type { ContentOptions } from "./content.ts";
export type { EventOptions, ShoalEvent } from "./events.ts";
export type { ClientOptions } from "./send.ts";
export { ShoalError } from "./shoal-error.ts";
export {
  Client,
  type MetadataObject,
  type NewVector,
  type Row,
  type Rows,
  type Vector,
} from "./vx-client.ts";
export { DimensionMismatchError, InvalidIDError, VxError } from "./vx-error.ts";
