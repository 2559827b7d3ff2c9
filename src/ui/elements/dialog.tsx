/**
 * A modal dialog on the browser's own <dialog>, which keeps focus inside, closes on Escape and gives focus back; a step
 * back closes it as well. Rendered while open. Called by the screens.
 */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { ToastStack } from "./toasts.tsx";
import { whenGoneBack } from "./when-gone-back.ts";
import "./dialog.css";

interface DialogProps {
  title: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the foot. */
  actions?: ComponentChildren;
  /** As wide as what it shows: pictures and video. */
  wide?: boolean;
}

export function Dialog({ title, onClose, children, actions, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const pressedAt = useRef<EventTarget | null>(null);
  // Before the next key or click: one that comes quickly must not go to what is beneath.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const stop = whenGoneBack(() => element?.dispatchEvent(new Event("cancel", { cancelable: true })));
    return () => {
      stop();
      // The browser gives the focus back where a dialog is closed, not where it is taken out of the page.
      element?.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by onCancel
    <dialog
      ref={dialog}
      class={`dialog${wide ? " wide" : ""}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        pressedAt.current = event.target;
      }}
      // Gone before its click, what is beneath would be clicked; what was pressed inside and let go outside is no wish to close.
      onClick={(event) => {
        const isOutside = event.target === event.currentTarget;
        if (isOutside && pressedAt.current === event.currentTarget) onClose();
      }}
    >
      <div class="dialog-inside">
        <header>
          <h2 id={titleId}>{title}</h2>
          <Button weight="bare" icon="close" iconOnly onClick={onClose}>
            Close
          </Button>
        </header>
        <div class="dialog-content">{children}</div>
        {actions && <footer>{actions}</footer>}
      </div>
      <div class="corner">
        <ToastStack />
      </div>
    </dialog>
  );
}
