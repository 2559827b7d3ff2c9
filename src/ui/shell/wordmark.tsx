/** The name with its mark, the one of public/icons/shoal.svg: six fish in the outline of one. Called by the shell. */
import { hrefOf } from "../router.ts";
import "./wordmark.css";

const FISH = "M1 0C.72-.5-.02-.56-.46-.12L-.92-.46C-.8-.16-.8.16-.92.46L-.46.12C-.02.56.72.5 1 0Z";

/** Places of the others behind the one that leads. */
const OTHERS = [
  "translate(32 20.5) rotate(15) scale(12)",
  "translate(32 43.5) rotate(-15) scale(12)",
  "translate(24.2 32) scale(9.3)",
  "translate(11.4 22) rotate(32) scale(7.5)",
  "translate(11.4 42) rotate(-32) scale(7.5)",
];

export function Wordmark() {
  return (
    <a class="wordmark" href={hrefOf("files")} aria-label="Shoal, your files">
      <svg aria-hidden="true" viewBox="0 10 64 44">
        <g transform="translate(32 32) rotate(-14) translate(-31.3 -32)">
          <path class="wordmark-first" d={FISH} transform="translate(47.8 32) scale(12.5)" />
          {OTHERS.map((place) => (
            <path key={place} d={FISH} transform={place} />
          ))}
        </g>
      </svg>
      <span>Shoal</span>
    </a>
  );
}
