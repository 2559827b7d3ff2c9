/** Whether an element is in the window, for what is worth its cost only while it is looked at. Called by what polls or moves. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** False before the browser has told, which it does after the first drawing. */
export function useSeen(element: RefObject<Element | null>): ReadonlySignal<boolean> {
  const isSeen = useSignal(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      isSeen.value = entries.at(-1)?.isIntersecting ?? false;
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isSeen]);
  return isSeen;
}
