/**
 * How much of a long list is drawn. Who goes back finds what they saw at once, as it stood there, and what is above it
 * comes page by page into the room that is kept for it: thousands of rows together would keep the page from its keys
 * for seconds. Called by the screens and by the folders in their lists, beside show-more.
 */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { LISTS_REST_MS, ROWS_A_PAGE } from "../limits.ts";
import { useKept } from "../state/use-kept.ts";

interface Above {
  rows: number;
  heightPx: number;
}

const NOTHING: Above = { rows: 0, heightPx: 0 };

/** Rows are the list's own items with a `data-thing`. `of`: one on its screen. */
export function useLongList(of = "the screen") {
  const list = useRef<HTMLUListElement>(null);
  /** Up to which row it is drawn. */
  const rowCount = useKept(`rows of ${of}`, ROWS_A_PAGE);
  const above = useKept(`rows above of ${of}`, NOTHING);
  const { rows: aboveCount, heightPx } = above.value;
  useEffect(() => {
    if (aboveCount === 0) return undefined;
    const clock = setTimeout(() => {
      above.value = fewer(above.value);
    }, LISTS_REST_MS);
    // Whoever goes all the way up sees its beginning at once.
    const beginIfSeen = () => {
      if (topOf(list.current) >= 0) beginAnew();
    };
    beginIfSeen();
    window.addEventListener("scroll", beginIfSeen, { passive: true });
    return () => {
      clearTimeout(clock);
      window.removeEventListener("scroll", beginIfSeen);
    };
  }, [aboveCount]);
  useLayoutEffect(
    () => () => {
      const rows = [...(list.current?.children ?? [])].filter((row) => row.hasAttribute("data-thing"));
      const [first, last] = seen(rows);
      const from = first - ROWS_A_PAGE;
      rowCount.value = Math.min(rowCount.value, above.value.rows + last + ROWS_A_PAGE);
      if (from <= 0) return;
      above.value = {
        rows: above.value.rows + from,
        heightPx: above.value.heightPx + topOf(rows[from]) - topOf(rows[0]),
      };
    },
    [],
  );

  /** For other rows, or others in order. */
  function beginAnew(): void {
    rowCount.value = ROWS_A_PAGE;
    above.value = NOTHING;
  }

  return {
    list,
    rowCount,
    drawn<T>(rows: readonly T[]): readonly T[] {
      // It may have become shorter meanwhile.
      const from = Math.min(aboveCount, Math.max(0, rows.length - ROWS_A_PAGE));
      return rows.slice(from, rowCount.value);
    },
    /** The first of the list's items. */
    room: aboveCount > 0 && <li aria-hidden="true" style={{ height: `${heightPx}px` }} />,
    beginAnew,
  };
}

/** What is shown in place of the room is about as high as it was; where it is not, browsers keep what is seen where it stands. */
function fewer({ rows, heightPx }: Above): Above {
  const left = Math.max(0, rows - ROWS_A_PAGE);
  return { rows: left, heightPx: (heightPx * left) / rows };
}

/** The first and the last row in the window, or nearest to it. */
function seen(rows: readonly Element[]): [first: number, last: number] {
  const first = rows.findIndex((row) => row.getBoundingClientRect().bottom > 0);
  const last = rows.findLastIndex((row) => topOf(row) < innerHeight);
  return [first === -1 ? rows.length - 1 : first, Math.max(0, last)];
}

function topOf(row: Element | null | undefined): number {
  return row?.getBoundingClientRect().top ?? 0;
}
