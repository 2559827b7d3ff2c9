/** The toasts, in a corner and read aloud once. Called by the shell; calls state/toasts. */
import { useApp } from "../state/app-state.ts";
import { Button } from "./button.tsx";
import "./toasts.css";

export function ToastStack() {
  const { toasts } = useApp();
  const hold = () => toasts.hold(true);
  const release = () => toasts.hold(false);
  return (
    <div
      class="toasts"
      role="status"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={release}
    >
      {toasts.shown.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.tone}`}>
          <p>{toast.text}</p>
          {toast.action && (
            <Button weight="bare" onClick={() => toasts.act(toast.id)}>
              {toast.action.label}
            </Button>
          )}
          <Button weight="bare" icon="close" iconOnly onClick={() => toasts.dismiss(toast.id)}>
            Dismiss
          </Button>
        </div>
      ))}
    </div>
  );
}
