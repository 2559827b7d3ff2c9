/** What in a hit fits, as a line below its name. Called by the rows of files and of the network. */
import "./found-excerpt.css";
import type { FindableFile } from "./matching.ts";

export function FoundExcerpt({ file: { why, excerpt } }: { file: FindableFile }) {
  if (!why?.includes("content") || !excerpt) return null;
  return <span class="found-excerpt quiet small">{excerpt}</span>;
}
