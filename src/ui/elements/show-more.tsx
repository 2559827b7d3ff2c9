/**
 * The button below a long list that draws more of it. The focus goes on at the first row that came: the button itself is then
 * below all of them, or gone. Called by the screens, beside the list.
 */
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ROWS_A_PAGE } from "../limits.ts";
import { Button } from "./button.tsx";

interface ShowMoreProps {
  /** Rows drawn. */
  rowCount: Signal<number>;
  /** Rows that there are. */
  total: number;
  /** Whose rows they are, where the screen has another such button. */
  of?: string;
}

export function ShowMore({ rowCount, total, of }: ShowMoreProps) {
  /** What stood there when more was asked for. */
  const asked = useRef<{ around: Element | null; rows: ReadonlySet<Element | null> } | undefined>(undefined);
  useLayoutEffect(() => {
    if (asked.current === undefined) return;
    const { around, rows } = asked.current;
    asked.current = undefined;
    const reachable = [...(around?.querySelectorAll<HTMLElement>("li a, li button") ?? [])];
    reachable.find((element) => !rows.has(element.closest("li")))?.focus();
  }, [rowCount.value]);
  const rest = total - rowCount.value;
  if (rest <= 0) return null;
  const text = `Show ${Math.min(rest, ROWS_A_PAGE)} more`;
  return (
    <Button
      label={of === undefined ? text : `${text} of ${of}`}
      onClick={({ currentTarget }) => {
        const around = (currentTarget as Element).parentElement;
        asked.current = { around, rows: new Set(around?.querySelectorAll("li")) };
        rowCount.value += ROWS_A_PAGE;
      }}
    >
      {text}
    </Button>
  );
}
