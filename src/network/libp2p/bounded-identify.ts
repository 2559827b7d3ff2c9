/**
 * Bounds what peers tell of themselves: libp2p takes ten messages of 8 KiB at a time, with thousands of addresses and protocols
 * that it sorts anew with every stream, as often as a peer pushes them: twenty peers held up a node for 4 s. Put between
 * libp2p's identify and its streams by libp2p-node, before the node starts. Source: libp2p specs, identify.
 */
import { type Connection, InvalidMessageError, type Stream } from "@libp2p/interface";
import { systemClock } from "../../sharing/system-clock.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_CONNECTIONS } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import { cappedMessages } from "./capped-streams.ts";
import { IDENTIFY_PUSH_BURST, IDENTIFY_PUSHES_PER_SECOND, MAX_IDENTIFY_BYTES } from "./limits.ts";

/** What the library's types don't show of its services. */
interface Services {
  identify: { _identify(connection: Connection, ...options: unknown[]): Promise<unknown> };
  identifyPush: { handleProtocol(stream: Stream, connection: Connection): Promise<void> };
}

export function boundIdentify(node: Libp2pNode): void {
  const { identify, identifyPush } = node.services as unknown as Services;
  const ask = identify._identify.bind(identify);
  identify._identify = (connection, ...options) => ask(withShortAnswers(connection), ...options);
  const pushes = new MessageRate(systemClock, {
    burst: IDENTIFY_PUSH_BURST,
    perSecond: IDENTIFY_PUSHES_PER_SECOND,
    maxKeys: MAX_CONNECTIONS,
  });
  const take = identifyPush.handleProtocol;
  identifyPush.handleProtocol = async (stream, connection) => {
    if (pushes.take(connection.remotePeer.toString()))
      await take(cappedMessages(stream, MAX_IDENTIFY_BYTES), connection);
    else stream.abort(new InvalidMessageError("pushed too often"));
  };
}

function withShortAnswers(connection: Connection): Connection {
  const newStream: Connection["newStream"] = async (...stream) =>
    cappedMessages(await connection.newStream(...stream), MAX_IDENTIFY_BYTES);
  return Object.create(connection, { newStream: { value: newStream } });
}
