/** The name with its mark: five fish under way together. Called by the shell. */
import { hrefOf } from "../router.ts";
import "./wordmark.css";

const FISH = [
  [19, 5],
  [10, 11],
  [22, 12.5],
  [13, 18],
  [4, 17],
] as const;

export function Wordmark() {
  return (
    <a class="wordmark" href={hrefOf("files")} aria-label="Shoal, your files">
      <svg aria-hidden="true" width="32" height="24" viewBox="0 0 32 24" fill="currentColor">
        {FISH.map(([x, y]) => (
          <path key={`${x} ${y}`} d={`M${x} ${y}q4.500-4 8 0q-3.500 4-8 0l-2.500 2v-4z`} />
        ))}
      </svg>
      <span>Shoal</span>
    </a>
  );
}
