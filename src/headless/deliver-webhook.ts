/**
 * Sends webhooks over HTTP. Handed to the webhooks by main; calls node:http and node:https. Where private targets
 * are not allowed, the address that a name resolves to is checked in the very lookup that the connection uses, so
 * that no second answer of a hostile name server can lead elsewhere. Redirects are not followed.
 */
import { lookup } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { DeliverWebhook } from "../api/webhooks/queue.ts";
import { isPublicAddress } from "../api/webhooks/target.ts";
import { withoutBrackets } from "../sharing/ip-address.ts";

export const deliverWebhook: DeliverWebhook = async (url, init, { signal, allowPrivate }) => {
  const target = new URL(url);
  const host = withoutBrackets(target.hostname);
  if (!allowPrivate && isIP(host) !== 0) checkPublic(host);
  const request = target.protocol === "https:" ? httpsRequest : httpRequest;

  return new Promise<Response>((resolve, reject) => {
    const outgoing = request(target, {
      method: init.method,
      headers: { ...init.headers, "content-length": Buffer.byteLength(init.body) },
      lookup: allowPrivate ? lookup : lookupPublic,
      signal,
      agent: false,
    });
    outgoing.once("error", reject);
    // Of an answer that changes the protocol (101), Node.js tells nothing else.
    outgoing.once("close", () => reject(new Error("the connection ended without an answer")));
    outgoing.once("response", (incoming) => {
      // Errors of the body reach whoever reads it; nobody may.
      incoming.on("error", () => undefined);
      const status = incoming.statusCode ?? 0;
      // Node.js takes any three digits, of which no Response is made.
      if (status < 200 || status > 599) {
        incoming.destroy();
        reject(new Error(`the receiver answered ${status}, which is no status of HTTP`));
        return;
      }
      const mayHaveBody = ![204, 205, 304].includes(status);
      if (!mayHaveBody) incoming.resume();
      const body = mayHaveBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null;
      resolve(new Response(body, { status }));
    });
    outgoing.end(init.body);
  });
};

const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "");
    try {
      for (const { address } of addresses) checkPublic(address);
    } catch (refusal) {
      return callback(refusal as Error, "");
    }
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first?.address ?? "", first?.family);
  });
};

function checkPublic(address: string): void {
  if (!isPublicAddress(address)) throw new Error(`webhook target ${address} is not a public address`);
}
