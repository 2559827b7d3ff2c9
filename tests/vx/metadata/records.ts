/** Records for the metadata tests, and the slots of a set as an array. */
import type { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";

/** An index with these objects at slots 0, 1, 2, ... whose ids are the slots; undefined is a record without metadata. */
export async function indexOf(objects: (object | undefined)[]): Promise<MetadataIndex> {
  const index = await MetadataIndex.open();
  index.setAll(
    objects.map((object, slot) => ({
      slot,
      id: BigInt(slot),
      text: object === undefined ? undefined : JSON.stringify(object),
    })),
  );
  return index;
}

export function slotsOf(set: SlotSet): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < set.words.length * 32; slot++) if (set.has(slot)) slots.push(slot);
  return slots;
}
