/**
 * A socket's documented option `onread`, given to a TLSSocket after it was made: one around another socket, which is what
 * libp2p's TLS needs, is not asked for it. Node.js then decrypts straight into memory of ours, where it otherwise makes a
 * buffer for every record of 16 KiB and hands it through a stream. Called by tls-connection.
 * Source: https://nodejs.org/api/net.html#socketconnectoptions-connectlistener
 */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";
import type { TLSSocket } from "node:tls";

export interface Onread {
  /** Where the next bytes go; called again after each `callback`. */
  buffer(): Uint8Array;
  /** So many bytes have come to the buffer's beginning. */
  callback(bytes: number): boolean;
}

/** What a socket has beside its interface. */
interface SocketInside {
  [key: symbol]: unknown;
  _handle?: { useUserBuffer?(buffer: Uint8Array): void } | null;
}

/** Under which keys a socket keeps the buffer of now, what gives the next one, and the callback. */
type Keys = Record<"now" | keyof Onread, symbol>;

const keys = findKeys();

/** False where this Node.js keeps the option elsewhere, or the socket is closed: it goes on to read as a stream. */
export function giveOnread(socket: TLSSocket, onread: Onread): boolean {
  const inside = socket as unknown as SocketInside;
  if (keys === undefined || !inside._handle?.useUserBuffer) return false;
  const now = onread.buffer();
  Object.assign(inside, {
    [keys.now]: now,
    [keys.buffer]: onread.buffer,
    [keys.callback]: onread.callback,
  });
  inside._handle.useUserBuffer(now);
  return true;
}

/** By where they are in sockets that are given the option when they are made. */
function findKeys(): Keys | undefined {
  const bytes = new Uint8Array(1);
  const buffer = () => bytes;
  const callback = () => true;
  const now = keyOf(made({ buffer: bytes, callback }), bytes);
  const moving = made({ buffer, callback });
  const [bufferKey, callbackKey] = [keyOf(moving, buffer), keyOf(moving, callback)];
  if (now === undefined || bufferKey === undefined || callbackKey === undefined) return undefined;
  return { now, buffer: bufferKey, callback: callbackKey };
}

function made(onread: OnReadOpts): Socket {
  const options: SocketConstructorOpts & { onread: OnReadOpts } = { onread };
  return new Socket(options);
}

function keyOf(socket: Socket, value: unknown): symbol | undefined {
  const inside = socket as unknown as SocketInside;
  return Object.getOwnPropertySymbols(socket).find((key) => inside[key] === value);
}
