/**
 * What of the block index can be trusted at start. Called by open-block-store. Blocks known to be durable need a
 * file that is long enough; those written since the last flush are read and hashed, for power loss may have taken
 * their bytes. Segments that nothing stands in are removed.
 */
import { CID } from "multiformats/cid";
import type { Loss, LostBlock } from "../../sharing/catalog/loss-log.ts";
import { isBlock } from "../../sharing/hash.ts";
import { type BlockIndex, type IndexContents, isDurable } from "./block-index.ts";
import type { BlockPlace, SegmentFiles } from "./segment-files.ts";

/** Takes out of what the index says every block that is not there, and gives those; the index forgets them. */
export async function keepSoundPlaces(
  { places, durable }: IndexContents,
  index: BlockIndex,
  segments: SegmentFiles,
): Promise<LostBlock[]> {
  segments.avoid(durable.segment);
  const lost: LostBlock[] = [];
  for (const [key, place] of places) {
    // A number that was once given away is not given again, so that no lost place ever names other bytes.
    segments.avoid(place.segment);
    const loss = isDurable(place, durable)
      ? lossBySize(place, segments)
      : await lossByBytes(key, place, segments);
    if (loss !== undefined) lost.push({ cid: key, ...loss });
  }
  for (const { cid } of lost) places.delete(cid);
  if (lost.length > 0) await index.delete(lost.map(({ cid }) => cid));

  const used = new Set(Array.from(places.values(), ({ segment }) => segment));
  for (const number of segments.numbers()) if (!used.has(number)) await segments.remove(number);
  return lost;
}

function lossBySize({ segment, offset, sizeBytes }: BlockPlace, segments: SegmentFiles): Loss | undefined {
  const endBytes = segments.endOf(segment);
  if (offset + sizeBytes <= endBytes) return undefined;
  return { why: endBytes === 0 ? "gone" : "cut short" };
}

async function lossByBytes(
  key: string,
  place: BlockPlace,
  segments: SegmentFiles,
): Promise<Loss | undefined> {
  const bytes = await segments.read(place);
  if (!(bytes instanceof Uint8Array)) return bytes;
  if (!(await isBlock(CID.parse(key), bytes))) return { why: "damaged" };
  place.soundAtMs = performance.now();
  segments.doubt(place.segment);
  return undefined;
}
