/** The button: `main` once a screen at most, `plain`, `bare` inside rows, `link` inside a sentence. Called by all screens. */
import type { ComponentChildren, Ref } from "preact";
import "./button.css";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps {
  children: ComponentChildren;
  onClick?: (event: MouseEvent) => void;
  weight?: "main" | "plain" | "bare" | "link";
  /** Drawn before the words. */
  icon?: IconName;
  /** Only the icon is seen; the words are its name. */
  iconOnly?: boolean;
  tone?: "danger";
  /** A task under way: the button waits, says so, and submits nothing. */
  busy?: boolean;
  disabled?: boolean;
  /**
   * It takes away what can't be had back: the second half of a double click may be meant for what stood here before,
   * and is not heard.
   */
  isFinal?: boolean;
  type?: "button" | "submit";
  pressed?: boolean;
  /** It opens a menu, which is open or not. */
  menuOpen?: boolean;
  /** Told to screen readers in place of the words, where those need the row's context. */
  label?: string;
  /** Id of the words that it is about, told to screen readers after its own. */
  describedBy?: string;
  /** Where its element is to be had. */
  element?: Ref<HTMLButtonElement>;
}

export function Button({
  children,
  onClick,
  weight = "plain",
  icon,
  iconOnly = false,
  tone,
  busy = false,
  disabled = false,
  isFinal = false,
  type = "button",
  pressed,
  menuOpen,
  label,
  describedBy,
  element = null,
}: ButtonProps) {
  function clicked(event: MouseEvent): void {
    if (busy) event.preventDefault();
    else if (!(isFinal && event.detail > 1)) onClick?.(event);
  }
  return (
    <button
      ref={element}
      type={type}
      class={`button ${weight}${iconOnly ? " icon-only" : ""}${tone ? ` ${tone}` : ""}`}
      onClick={clicked}
      disabled={disabled}
      aria-busy={busy}
      aria-pressed={pressed}
      aria-haspopup={menuOpen === undefined ? undefined : "menu"}
      aria-expanded={menuOpen}
      aria-label={label}
      aria-describedby={describedBy}
      title={iconOnly && typeof children === "string" ? children : undefined}
    >
      {icon && <Icon name={icon} size={18} />}
      {iconOnly ? <span class="unseen">{children}</span> : <span>{children}</span>}
    </button>
  );
}
