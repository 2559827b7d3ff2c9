/**
 * A button that opens a short list of actions, in which arrow keys and first letters move. Called by rows; calls
 * when-dismissed. Source: WAI-ARIA Authoring Practices, "Menu Button".
 */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import "./menu.css";
import { whenDismissed } from "./when-dismissed.ts";

/** Between a list and the edge of a narrow window. */
const EDGE_PIXELS = 8;

export interface MenuAction {
  label: string;
  icon: IconName;
  run: () => void;
  tone?: "danger";
}

export function Menu({ label, actions }: { label: string; actions: readonly MenuAction[] }) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const open = isOpen.value;

  const close = (giveFocusBack: boolean) => {
    isOpen.value = false;
    if (giveFocusBack) root.current?.querySelector("button")?.focus();
  };

  // Before the next key: one that is pressed quickly must not go to what is beneath.
  useLayoutEffect(() => {
    const menu = root.current;
    if (!open || menu === null) return;
    const items = () => [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
    items()[0]?.focus({ preventScroll: true });
    const list = menu.querySelector<HTMLElement>(".menu-list");
    if (list) showWhole(list);
    const onKey = (event: KeyboardEvent) => {
      const all = items();
      const at = all.indexOf(document.activeElement as HTMLElement);
      const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        all[(step + all.length) % all.length]?.focus();
      } else if (event.key === "Tab") close(false);
      else if (!event.ctrlKey && !event.altKey && !event.metaKey) {
        const inTurn = [...all.slice(at + 1), ...all.slice(0, at + 1)];
        inTurn
          .find(({ textContent }) => textContent?.toLowerCase().startsWith(event.key.toLowerCase()))
          ?.focus();
      }
    };
    const stop = whenDismissed(menu, close);
    document.addEventListener("keydown", onKey);
    return () => {
      stop();
      document.removeEventListener("keydown", onKey);
    };
  }, [open]);

  return (
    <div class="menu" ref={root}>
      <Button
        weight="bare"
        icon="more"
        iconOnly
        menuOpen={open}
        onClick={() => {
          if (open) close(true);
          else isOpen.value = true;
        }}
      >
        {label}
      </Button>
      {open && (
        <div class="menu-list" role="menu" aria-label={label}>
          {actions.map((action) => (
            <button
              key={action.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={action.tone}
              onClick={() => {
                close(true);
                action.run();
              }}
            >
              <Icon name={action.icon} size={18} />
              {action.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/**
 * Beneath its button, or above it where that has room alone; in a window too low for both the page scrolls to it. In a
 * narrow one it goes beyond its button's right edge instead of the window's left one. What bars cover is no room.
 */
function showWhole(list: HTMLElement): void {
  const { bottom, height, left } = list.getBoundingClientRect();
  if (left < EDGE_PIXELS) list.style.right = `${left - EDGE_PIXELS}px`;
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  if (bottom <= innerHeight - pixelsOf(scrollPaddingBottom)) return;
  const top = list.parentElement?.getBoundingClientRect().top ?? 0;
  if (top - pixelsOf(scrollPaddingTop) >= height) list.classList.add("above");
  else list.scrollIntoView({ block: "nearest" });
}

function pixelsOf(length: string): number {
  return length === "auto" ? 0 : Number.parseFloat(length);
}
