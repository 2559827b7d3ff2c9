/**
 * The toasts, in a corner and read aloud once, errors at once: of the page, or of the dialog that is open. Ctrl or Cmd
 * with Z undoes what the last of them tells, since the way to it by Tab may take longer than it stays. Called by shell
 * and dialogs; calls state/toasts.
 */
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useApp } from "../state/app-state.ts";
import type { Toast } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import { FileName } from "./file-name.tsx";
import { OptionWords } from "./option-words.tsx";
import "./toasts.css";

export function ToastStack() {
  const { toasts } = useApp();
  const hold = () => toasts.hold(true);
  const release = () => toasts.hold(false);
  const stack = useRef<HTMLDivElement>(null);
  const place = useMemo(() => ({}), []);
  useLayoutEffect(() => toasts.takePlace(place), [toasts, place]);
  const isHere = toasts.place.value === place;
  const said = toasts.said.value;
  // A button that goes with its toast takes the focus along, of which Firefox tells nobody.
  useEffect(() => {
    if (isHere && !stack.current?.matches(":hover, :focus-within")) release();
  });
  useEffect(() => {
    if (!isHere) return;
    const onKey = (event: KeyboardEvent) => {
      // In capitals with Caps Lock.
      if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      const { target } = event;
      if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
      const last = toasts.shown.peek().findLast(({ action }) => action?.undoes);
      if (last === undefined) return;
      event.preventDefault();
      toasts.act(last.id);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [toasts, isHere]);
  return (
    <div
      ref={stack}
      class="toasts"
      role="status"
      aria-atomic={false}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={release}
    >
      {(isHere ? toasts.shown.value : []).map((toast) => (
        <div key={toast.id} class={`toast ${toast.tone}`} role={roleOf(toast)}>
          <p id={`toast-${toast.id}`}>
            {typeof toast.text === "string" ? (
              <OptionWords text={toast.text} />
            ) : (
              <>
                {toast.text.before}
                <FileName name={toast.text.file} />
                {toast.text.after}
              </>
            )}
            {toast.action?.undoes && <span class="unseen"> Control Z undoes it.</span>}
          </p>
          {toast.action && (
            <Button weight="bare" describedBy={`toast-${toast.id}`} onClick={() => toasts.act(toast.id)}>
              {toast.action.label}
            </Button>
          )}
          <Button
            weight="bare"
            icon="close"
            iconOnly
            describedBy={`toast-${toast.id}`}
            onClick={() => toasts.dismiss(toast.id)}
          >
            Dismiss
          </Button>
        </div>
      ))}
      {isHere && said && (
        <p key={said.id} class="unseen" role={roleOf(said)}>
          {said.text}
        </p>
      )}
    </div>
  );
}

function roleOf({ tone }: Pick<Toast, "tone">) {
  return tone === "bad" ? "alert" : undefined;
}
