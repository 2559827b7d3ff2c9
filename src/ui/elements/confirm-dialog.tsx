/**
 * Asks before something that can't be taken back, does it, and stays with the reason where it fails. Called by the screens.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import "./confirm-dialog.css";
import { Dialog } from "./dialog.tsx";
import { useDrawn } from "./use-drawn.ts";

interface ConfirmDialogProps {
  /** A question. */
  title: string;
  /** What will be, and what will be lost. */
  children: ComponentChildren;
  /** The way back, in words of the matter: "Keep it". */
  keepLabel: string;
  actLabel: string;
  /** The dialog closes when it settles; what it throws is shown, in a toast where a person has closed it meanwhile. */
  act: () => Promise<void>;
  onClose: () => void;
}

export function ConfirmDialog({ title, children, keepLabel, actLabel, act, onClose }: ConfirmDialogProps) {
  const { toasts } = useApp();
  const isBusy = useSignal(false);
  const error = useSignal<string | undefined>(undefined);
  const isOpen = useDrawn();

  async function run(): Promise<void> {
    isBusy.value = true;
    error.value = undefined;
    try {
      await act();
      if (isOpen()) onClose();
    } catch (caught) {
      if (!isOpen()) toasts.showError(caught);
      error.value = messageOf(caught);
      isBusy.value = false;
    }
  }

  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button disabled={isBusy.value} onClick={onClose}>
            {keepLabel}
          </Button>
          <Button weight="main" busy={isBusy.value} onClick={() => void run()}>
            {actLabel}
          </Button>
        </>
      }
    >
      {children}
      {error.value !== undefined && (
        <p class="confirm-dialog-error" role="alert">
          {error.value}
        </p>
      )}
    </Dialog>
  );
}
