/**
 * A JSON answer that is made of many small texts, in turns. A long one goes out as pieces of bytes: as one text it
 * would be joined, measured, encoded and copied whole, in a turn of a tenth of a second each for 60 MB. Called by the
 * routes whose answers may be long.
 */
import { TurnClock } from "../../vx/turn-clock.ts";
import { bodyStream } from "../body-stream.ts";
import { JSON_PIECE_CHARS } from "./limits.ts";

const encoder = new TextEncoder();

export function jsonText(text: string): Response {
  return new Response(text, { headers: { "Content-Type": "application/json" } });
}

/** All of it is written before the answer begins, so that what fails is refused. `ended` aborts when its reader is gone. */
export async function jsonPieces(texts: Iterable<string>, ended: AbortSignal): Promise<Response> {
  const clock = new TurnClock();
  const pieces: Uint8Array[] = [];
  let waiting: string[] = [];
  let waitingChars = 0;
  for (const text of texts) {
    waiting.push(text);
    waitingChars += text.length;
    if (waitingChars >= JSON_PIECE_CHARS) {
      pieces.push(encoder.encode(waiting.join("")));
      [waiting, waitingChars] = [[], 0];
    }
    if (clock.isOver) await clock.next();
  }
  const last = waiting.join("");
  if (pieces.length === 0) return jsonText(last);
  pieces.push(encoder.encode(last));
  const sizeBytes = pieces.reduce((total, { byteLength }) => total + byteLength, 0);
  const headers = { "Content-Type": "application/json", "Content-Length": String(sizeBytes) };
  return new Response(
    bodyStream(() => inOrder(pieces), ended),
    { headers },
  );
}

async function* inOrder(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
