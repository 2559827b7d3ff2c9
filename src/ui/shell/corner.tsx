/**
 * The page's corner, where all stands that comes unasked. How high it is, the style sheet is told: while there are
 * cards in it, which may stay, nothing that has the focus is left beneath. Called by the shell.
 */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import "./corner.css";

export function Corner({ children }: { children: ComponentChildren }) {
  const corner = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = corner.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      document.documentElement.style.setProperty("--corner", `${element.offsetHeight}px`);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="corner" ref={corner}>
      {children}
    </div>
  );
}
