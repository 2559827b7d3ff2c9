/**
 * What of the block index can be trusted at start. Called by openFsBlockStore. Blocks known to be durable need a
 * file that is long enough; those written since the last flush are read and hashed, for power loss may have taken
 * their bytes. Segments that nothing stands in are removed.
 */
import { CID } from "multiformats/cid";
import { isSharingError } from "../sharing/errors.ts";
import { verifyBlock } from "../sharing/hash.ts";
import { type BlockIndex, type IndexContents, isDurable } from "./block-index.ts";
import type { BlockPlace, SegmentFiles } from "./segment-files.ts";

/** Takes out of what the index says every block that is not there; the index forgets them. */
export async function keepSoundPlaces(
  { places, durable }: IndexContents,
  index: BlockIndex,
  segments: SegmentFiles,
): Promise<void> {
  segments.avoid(durable.segment);
  const lost: string[] = [];
  for (const [key, place] of places) {
    // A number that was once given away is not given again, so that no lost place ever names other bytes.
    segments.avoid(place.segment);
    const isSound =
      place.offset + place.sizeBytes <= segments.endOf(place.segment) &&
      (isDurable(place, durable) || (await isWhole(key, place, segments)));
    if (!isSound) lost.push(key);
  }
  for (const key of lost) places.delete(key);
  if (lost.length > 0) await index.delete(lost);

  const used = new Set(Array.from(places.values(), ({ segment }) => segment));
  for (const number of segments.numbers()) if (!used.has(number)) await segments.remove(number);
}

async function isWhole(key: string, place: BlockPlace, segments: SegmentFiles): Promise<boolean> {
  const bytes = await segments.read(place);
  if (bytes === undefined) return false;
  try {
    await verifyBlock(CID.parse(key), bytes);
    place.soundAtMs = performance.now();
    segments.doubt(place.segment);
    return true;
  } catch (error) {
    if (isSharingError(error, "hash_mismatch")) return false;
    throw error;
  }
}
