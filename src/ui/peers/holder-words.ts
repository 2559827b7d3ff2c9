/** Who has a file, in words: those who have a name by it, the others as a number. Called by the screens that offer files. */
import { calledName } from "../../client/called-name.ts";
import { countText } from "../elements/quantities.ts";
import { MAX_LISTED_HOLDERS, MAX_NAMED_HOLDERS } from "../limits.ts";
import type { PeerNames } from "../state/peer-names.ts";

export interface HolderPart {
  text: string;
  /** A stranger's text, and not ours. */
  isName?: true;
}

/** `Ada's laptop, Phone and 2 others`; nothing where none of them has a name. */
export function holderParts(ids: readonly string[], names: PeerNames): HolderPart[] {
  const named = ids.flatMap((id) => names.get(id) ?? []).slice(0, MAX_NAMED_HOLDERS);
  if (named.length === 0) return [];
  const others = ids.length - named.length;
  const listed: HolderPart[] = [
    ...named.map((text): HolderPart => ({ text, isName: true })),
    ...(others > 0 ? [{ text: countText(others, "other") }] : []),
  ];
  return listed.flatMap((part, at) => {
    if (at === 0) return [part];
    return [{ text: at === listed.length - 1 ? " and " : ", " }, part];
  });
}

/** Of a file that is here, or that so many offer. */
export function whereText(isHere: boolean, holderCount: number): string {
  return isHere ? "here" : countText(holderCount, "holder");
}

/** Some of them, who have a name first, and how many more there are. */
export function listedHolders(
  ids: readonly string[],
  names: PeerNames,
): { holders: { id: string; name: string | null }[]; more: number } {
  const sorted = [...ids.filter((id) => names.has(id)), ...ids.filter((id) => !names.has(id))];
  const holders = sorted.slice(0, MAX_LISTED_HOLDERS).map((id) => ({ id, name: names.get(id) ?? null }));
  return { holders, more: ids.length - holders.length };
}

/** The same as text, one a line. */
export function holdersText(ids: readonly string[], names: PeerNames): string {
  const { holders, more } = listedHolders(ids, names);
  return [...holders.map(calledName), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
