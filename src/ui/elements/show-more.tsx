/**
 * The button below a long list, which draws more of it when it is pressed, or when one scrolls towards it. Who presses
 * it goes on at the first row that came: the button itself is then below all of them, or gone. Called by the screens,
 * beside the list.
 */
import type { Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { ROWS_A_PAGE } from "../limits.ts";
import { Button } from "./button.tsx";

/**
 * From the middle of the window, so that no list grows above who scrolls up past it, to where one is after a turn of a
 * wheel or two.
 */
const NEAR = "-50% 0px 150%";

interface ShowMoreProps {
  /** Rows drawn. */
  rowCount: Signal<number>;
  /** Rows that there are. */
  total: number;
  /** Whose rows they are, where the screen has another such button. */
  of?: string;
  /** Scrolling draws no more, since another list stands below that could not be reached. */
  byHand?: boolean;
}

export function ShowMore({ rowCount, total, of, byHand = false }: ShowMoreProps) {
  const button = useRef<HTMLButtonElement>(null);
  /** What stood there when more was asked for. */
  const asked = useRef<{ around: Element | null; rows: ReadonlySet<Element | null> } | undefined>(undefined);
  const drawn = rowCount.value;
  const rest = total - drawn;
  const isMore = rest > 0;
  useLayoutEffect(() => {
    if (asked.current === undefined) return;
    const { around, rows } = asked.current;
    asked.current = undefined;
    const reachable = [...(around?.querySelectorAll<HTMLElement>("li a, li button") ?? [])];
    reachable.find((element) => !rows.has(element.closest("li")))?.focus();
  }, [drawn]);
  useEffect(() => {
    const end = button.current;
    if (byHand || end === null) return;
    // Made anew for each page of rows: it tells at once where the end is still near.
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting && !isGoneThroughByKeys(end)) rowCount.value = drawn + ROWS_A_PAGE;
      },
      { rootMargin: NEAR },
    );
    observer.observe(end);
    return () => observer.disconnect();
  }, [byHand, rowCount, drawn, isMore]);
  if (!isMore) return null;
  const text = `Show ${Math.min(rest, ROWS_A_PAGE)} more`;
  return (
    <Button
      element={button}
      label={of === undefined ? text : `${text} of ${of}`}
      onClick={() => {
        const around = button.current?.parentElement ?? null;
        asked.current = { around, rows: new Set(around?.querySelectorAll("li")) };
        rowCount.value += ROWS_A_PAGE;
      }}
    >
      {text}
    </Button>
  );
}

/**
 * Who goes from row to row would never come to the end of a list that grows before them, nor to what is below it. Who
 * has scrolled away from where the keys are, as after Escape closed what a pointer opened, goes by keys no more.
 */
function isGoneThroughByKeys(end: Element): boolean {
  const focused = document.activeElement;
  if (!focused?.matches(":focus-visible") || !isInWindow(focused)) return false;
  return focused === end || (focused.closest("li") !== null && end.parentElement?.contains(focused) === true);
}

function isInWindow(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
