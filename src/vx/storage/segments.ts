/**
 * The journal's segments: files in a row, each begun by one opener and never appended to by another. Called by the
 * journal, the index stores and archives; calls SegmentReader.
 *
 * A segment ends where the next one begins: what it has beyond that first number was refused, or torn off by the
 * end of a process, and is not looked at. A new one's name is behind those of all that are there.
 */
import { damaged } from "./damage.ts";
import { type History, sameHistory } from "./file-header.ts";
import type { Folder } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import { decodeOperations, type Operation } from "./operations.ts";
import { openSegment } from "./segment-reader.ts";

export interface Segment {
  name: string;
  /** Number of its first operation. */
  first: number;
  /** Bytes up to the end of the last whole frame, or more. */
  sizeBytes: number;
}

export interface Replayed {
  /** Number of the last operation that is stored. */
  last: number;
  /** Bytes of the segments that were read. */
  sizeBytes: number;
}

const NAME = /^journal-(\d{12})$/;

export function segmentName(generation: number): string {
  return `journal-${String(generation).padStart(12, "0")}`;
}

/** Undefined if the name is no segment's. */
export function segmentGeneration(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Segments of the history, in order; `others` are names of segments of former ones, and of those that hold nothing.
 * @throws VxError for damage, also where a segment of another history is newer: the snapshot was put back beside it
 */
export async function listSegments(
  folder: Pick<Folder, "list" | "open">,
  history: History,
  key: IndexKey | undefined,
): Promise<{ segments: Segment[]; others: string[] }> {
  const names = (await folder.list()).filter((name) => NAME.test(name)).sort();
  const segments: Segment[] = [];
  const others: string[] = [];
  for (const name of names) {
    const file = await folder.open(name);
    if (file === undefined) continue;
    try {
      const reader = await openSegment(name, file, key);
      const isOwn = reader !== undefined && sameHistory(reader.header, history);
      if (isOwn) segments.push({ name, first: reader.header.sequence, sizeBytes: file.sizeBytes });
      else if (reader === undefined || segments.length === 0) others.push(name);
      else throw damaged(name, `it is of a later history than ${segments[0]?.name} and the snapshot`);
    } finally {
      await file.close();
    }
  }
  return { segments, others };
}

/**
 * Gives the operations behind number `covered` in order. With `last`, the segments must have all up to that one;
 * without, the last segment ends where it stops being whole.
 * @throws VxError for damage: operations that were acknowledged are missing or changed
 */
export async function replaySegments(
  folder: Pick<Folder, "open">,
  segments: Segment[],
  { key, covered, last }: { key: IndexKey | undefined; covered: number; last?: number },
  receive: (operations: Operation[]) => void | Promise<void>,
): Promise<Replayed> {
  let next = covered + 1;
  let sizeBytes = 0;
  for (const [i, { name, first }] of segments.entries()) {
    const until = segments[i + 1]?.first ?? (last === undefined ? undefined : last + 1);
    if (until !== undefined && until <= next) continue;
    if (first > next) throw damaged(name, `operations ${next} to ${first - 1} are missing before it`);
    const file = await folder.open(name);
    if (file === undefined) throw damaged(name, "it is missing");
    sizeBytes += file.sizeBytes;
    try {
      const reader = await openSegment(name, file, key);
      if (reader === undefined) throw damaged(name, "it is empty");
      for await (const frame of reader.frames(until)) {
        const end = frame.sequence + frame.count;
        if (end <= next) continue;
        const { dimension } = reader.header.facts;
        const shape = { count: frame.count, dimension, place: name };
        let skipped = next - frame.sequence;
        for (const operations of decodeOperations(await frame.payload(), shape)) {
          const fresh = skipped === 0 ? operations : operations.slice(skipped);
          skipped -= operations.length - fresh.length;
          if (fresh.length > 0) await receive(fresh);
        }
        next = end;
      }
    } finally {
      await file.close();
    }
  }
  if (last !== undefined && next <= last)
    throw damaged("journal", `operations ${next} to ${last} are missing`);
  return { last: next - 1, sizeBytes };
}
