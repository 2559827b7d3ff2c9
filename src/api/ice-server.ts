/**
 * An ICE server in one line of text, as settings and flags have it: `stun:host:port`, or with what a TURN server lets one in by
 * `turn:user:password@host:port`, both percent-encoded where they have a colon, an at sign or a percent sign. Called by the
 * settings of both hosts, and by their transports, for an engine makes no connection at all where one server is malformed or a
 * TURN server has no password. Sources: RFC 7064 and 7065; WebRTC, section 4.2.4 and 5.1 (the constructor's checks).
 */

/** Those fields of an RTCIceServer that are used here. */
export interface IceServer {
  urls: string;
  username?: string;
  credential?: string;
}

export const NO_ICE_SERVER =
  "must be a STUN server, stun:host:port, or a TURN server with name and password, turn:name:password@host:port";

const STUN = /^stuns?:[!-~]+$/;
/** The first colon ends the name and the last at sign the password, so that a text of many is told from a server in one pass. */
const TURN = /^(turns?):([!-9;-~]+):([!-~]+)@([!-?A-~]+)$/;
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const TRANSPORT = /\?transport=(?:udp|tcp)$/;

/** Undefined for what is none. */
export function iceServerOf(text: string): IceServer | undefined {
  if (STUN.test(text)) return HOST.test(text.replace(/^stuns?:/, "")) ? { urls: text } : undefined;
  const [, scheme, user = "", password = "", place = ""] = TURN.exec(text) ?? [];
  if (scheme === undefined || !HOST.test(place.replace(TRANSPORT, ""))) return undefined;
  try {
    return {
      urls: `${scheme}:${place}`,
      username: decodeURIComponent(user),
      credential: decodeURIComponent(password),
    };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
