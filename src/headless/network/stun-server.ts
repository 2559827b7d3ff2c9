/**
 * Answers STUN binding requests, so that pages behind NAT learn their public address from the relay and no third
 * party is asked. Called by relay-stun. RFC 8489, UDP, no authentication: the answer only says where the
 * request came from.
 *
 * Request and answer open with the header of section 5, and the answer holds one attribute, XOR-MAPPED-ADDRESS
 * (section 14.2):
 *
 * | bytes | request                            | answer                                               |
 * |-------|------------------------------------|------------------------------------------------------|
 * | 2     | 0001 binding request               | 0101 binding success                                 |
 * | 2     | bytes after the header, multiple of 4 | 12 (IPv4) or 24 (IPv6)                            |
 * | 4     | magic cookie 2112A442              | the same                                             |
 * | 12    | transaction id                     | the same                                             |
 * | 2, 2  | attributes: type, length, value padded to 4 | 0020, length 8 or 20                        |
 * | 1, 1, 2 |                                  | 0, family 1 or 2, port xor 2112                      |
 * | 4 or 16 |                                  | address xor cookie (and transaction id)              |
 *
 * An answer is at most 44 bytes to at least 20, and answers are counted for each address and in all: of no use to
 * one who forges source addresses.
 */
import { createSocket, type RemoteInfo } from "node:dgram";
import { isIPv6 } from "node:net";
import { subscriberOf } from "../../network/connecting/remote-address.ts";
import { MessageRate } from "../../network/message-rate.ts";
import { parseIpAddress } from "../../sharing/ip-address.ts";
import type { Clock } from "../../sharing/ports.ts";
import { MAX_STUN_REQUEST_BYTES, STUN_ANSWERS_IN_ALL, STUN_ANSWERS_PER_HOST } from "../limits.ts";

const HEADER_BYTES = 20;
const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const MAGIC_COOKIE = 0x2112a442;
const XOR_MAPPED_ADDRESS = 0x0020;

export interface StunServer {
  /** The UDP port it answers on. */
  readonly port: number;
  close(): Promise<void>;
}

/** @throws the socket's error when the port is taken */
export async function openStunServer(options: {
  host: string;
  port: number;
  clock: Clock;
}): Promise<StunServer> {
  const socket = createSocket(isIPv6(options.host) ? "udp6" : "udp4");
  const perHost = new MessageRate(options.clock, STUN_ANSWERS_PER_HOST);
  const inAll = new MessageRate(options.clock, STUN_ANSWERS_IN_ALL);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(options.port, options.host, () => {
      socket.off("error", reject);
      resolve();
    });
  });
  // ICMP refusals of earlier answers come as errors; there is nobody to tell.
  socket.on("error", () => undefined);
  socket.on("message", (request: Uint8Array, from: RemoteInfo) => {
    const transactionId = readBindingRequest(request);
    const address = parseIpAddress(from.address);
    if (transactionId === undefined || address === undefined || from.port === 0) return;
    if (!perHost.take(subscriberOf(from.address)) || !inAll.take("all")) return;
    socket.send(bindingAnswer(transactionId, { address, port: from.port }), from.port, from.address);
  });
  return {
    port: socket.address().port,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The transaction id of a well-formed binding request, or undefined for anything else, which is not answered. */
export function readBindingRequest(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.byteLength < HEADER_BYTES || bytes.byteLength > MAX_STUN_REQUEST_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isBinding = view.getUint16(0) === BINDING_REQUEST && view.getUint32(4) === MAGIC_COOKIE;
  if (!isBinding || view.getUint16(2) !== bytes.byteLength - HEADER_BYTES) return undefined;
  let at = HEADER_BYTES;
  while (at < bytes.byteLength) {
    if (at + 4 > bytes.byteLength) return undefined;
    at += 4 + Math.ceil(view.getUint16(at + 2) / 4) * 4;
  }
  return at === bytes.byteLength ? bytes.slice(8, HEADER_BYTES) : undefined;
}

/** `address`: 4 bytes or 16. */
export function bindingAnswer(
  transactionId: Uint8Array,
  { address, port }: { address: Uint8Array; port: number },
): Uint8Array {
  const answer = new Uint8Array(HEADER_BYTES + 8 + address.byteLength);
  const view = new DataView(answer.buffer);
  view.setUint16(0, BINDING_SUCCESS);
  view.setUint16(2, answer.byteLength - HEADER_BYTES);
  view.setUint32(4, MAGIC_COOKIE);
  answer.set(transactionId, 8);
  view.setUint16(20, XOR_MAPPED_ADDRESS);
  view.setUint16(22, 4 + address.byteLength);
  view.setUint8(25, address.byteLength === 4 ? 1 : 2);
  view.setUint16(26, port ^ (MAGIC_COOKIE >>> 16));
  // The mask is the cookie followed by the transaction id, which are the header's bytes 4 to 19.
  for (const [i, byte] of address.entries()) answer[28 + i] = byte ^ (answer[4 + i] ?? 0);
  return answer;
}
