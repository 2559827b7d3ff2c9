/** Search by name as one types. Called by network-screen. */
import type { NetworkFile } from "../state/entries.ts";

/** Files whose name has every word, best held first. Accents and case are no difference. */
export function matching(files: readonly NetworkFile[], words: string): NetworkFile[] {
  const wanted = plain(words)
    .split(/\s+/)
    .filter((word) => word !== "");
  return files
    .filter(({ name }) => {
      const text = plain(name);
      return wanted.every((word) => text.includes(word));
    })
    .sort(
      (a, b) => b.peers.length - a.peers.length || a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1),
    );
}

function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
