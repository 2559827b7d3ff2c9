/**
 * ICE servers as node-datachannel takes them, which reads names and passwords percent-encoded, as they stand in an
 * address: one with an at sign was refused, and with it every connection by WebRTC. Called by transports.
 */
import { type IceServer, iceServerOf } from "../../api/ice-server.ts";

export function nativeIceServers(texts: string[]): IceServer[] {
  return texts.flatMap((text) => {
    const server = iceServerOf(text);
    if (server === undefined) return [];
    const { urls, username, credential } = server;
    if (username === undefined || credential === undefined) return [server];
    return [{ urls, username: encodeURIComponent(username), credential: encodeURIComponent(credential) }];
  });
}
