/** A peer written by hand, frame by frame: for what no honest exchange would send, and to see what one does send. */
import type { Stream } from "@libp2p/interface";
import type { Libp2p } from "libp2p";
import { PROTOCOL } from "../../../src/exchange/protocol.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import { encodeDataHeader, encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import { startLibp2p } from "./loopback.ts";

export class ScriptedPeer {
  readonly stream: Stream;
  readonly received: Message[] = [];
  /** Payload bytes received. */
  dataBytes = 0;
  #check: () => void = () => {};

  constructor(stream: Stream) {
    this.stream = stream;
    const reader = new FrameReader({
      onMessage: (message) => this.received.push(message),
      onData: (_, bytes) => {
        this.dataBytes += bytes.length;
      },
    });
    stream.addEventListener("message", ({ data }) => {
      for (const bytes of data instanceof Uint8Array ? [data] : data) reader.push(bytes);
      this.#check();
    });
    stream.addEventListener("close", () => this.#check());
  }

  send(...messages: Message[]): void {
    for (const message of messages) this.stream.send(encodeMessage(message));
  }

  sendData(requestId: number, payload: Uint8Array): void {
    this.stream.send(encodeDataHeader(requestId, payload.length));
    this.stream.send(payload);
  }

  /** Settles when the condition holds, looked at whenever bytes came or the stream closed. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        if (condition()) resolve();
      };
      this.#check();
    });
  }

  untilReceived(type: Message["type"], count = 1): Promise<void> {
    return this.until(() => this.received.filter((message) => message.type === type).length >= count);
  }

  untilClosed(): Promise<void> {
    return this.until(() => this.stream.status !== "open");
  }
}

/** A node that runs the script for each conversation that is opened with it. */
export async function startScriptedServer(script: (peer: ScriptedPeer) => void): Promise<Libp2p> {
  const libp2p = await startLibp2p();
  await libp2p.handle(PROTOCOL, (stream) => script(new ScriptedPeer(stream)));
  return libp2p;
}

/** Opens a conversation as an asker. */
export async function askByHand(from: Libp2p, server: Libp2p): Promise<ScriptedPeer> {
  return new ScriptedPeer(await from.dialProtocol(server.getMultiaddrs(), PROTOCOL));
}
