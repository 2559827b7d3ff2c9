/**
 * Opens the folder of a store of blocks: what its index tells of, less what the disk has lost. Called by main; calls block-index,
 * segment-files and sound-places.
 */
import { join } from "node:path";
import { CommandError } from "../command-error.ts";
import { BlockIndex, type IndexContents, isDurable } from "./block-index.ts";
import { FsBlockStore, type FsBlockStoreOptions } from "./fs-block-store.ts";
import { SegmentFiles } from "./segment-files.ts";
import { keepSoundPlaces } from "./sound-places.ts";
import { WholeFiles } from "./whole-files.ts";

/** Where the blocks stand in the folder of a store. */
export function segmentsIn(root: string): string {
  return join(root, "segments");
}

/** @throws CommandError `start_failed` as BlockIndex.open says, and where all segments are missing that the index tells of */
export async function openFsBlockStore(options: FsBlockStoreOptions): Promise<FsBlockStore> {
  const { root } = options;
  const index = await BlockIndex.open(join(root, "index"), segmentsIn(root));
  try {
    const segments = await SegmentFiles.open(segmentsIn(root));
    const contents = await index.read();
    expectSegments(root, contents, segments);
    const lost = await keepSoundPlaces(contents, index, segments);
    for (const block of lost) options.onLost?.(block);
    const wholes = await WholeFiles.open(index, segments, contents.wholes);
    return new FsBlockStore(options, { ...contents, index, segments, wholes });
  } catch (error) {
    await index.close();
    throw error;
  }
}

/** As beneath a disk that is not mounted: they would be forgotten, and removed where they come back. */
function expectSegments(root: string, { places, durable }: IndexContents, segments: SegmentFiles): void {
  if (segments.numbers().length > 0) return;
  if (![...places.values()].some((place) => isDurable(place, durable))) return;
  throw new CommandError(
    "start_failed",
    `${segmentsIn(root)}: cannot find the blocks that are to be here: mount their disk, put them back from a backup, ` +
      `or move ${join(root, "index")} away, too, to begin anew`,
  );
}
