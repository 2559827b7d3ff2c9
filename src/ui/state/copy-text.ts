/**
 * Puts a text that is seen on the clipboard, and says so, or how to get it there where the browser refuses. Called by
 * its buttons.
 */
import type { Toasts } from "./toasts.ts";

/** `copied`: what is said then. */
export async function copyText(toasts: Toasts, text: string, copied: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.show({ text: copied });
  } catch {
    toasts.show({
      text: "The browser did not let it be copied. Select the text, and copy it by hand.",
      tone: "bad",
    });
  }
}
