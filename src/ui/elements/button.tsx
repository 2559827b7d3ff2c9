/** The button: `main` once a screen at most, `plain`, `bare` inside rows, `link` inside a sentence. Called by all screens. */
import type { ComponentChildren } from "preact";
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
  /** A task under way: the button waits, and says so. */
  busy?: boolean;
  disabled?: boolean;
  type?: "button" | "submit";
  pressed?: boolean;
  /** It opens a menu, which is open or not. */
  menuOpen?: boolean;
  /** Told to screen readers in place of the words, where those need the row's context. */
  label?: string;
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
  type = "button",
  pressed,
  menuOpen,
  label,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${weight}${iconOnly ? " icon-only" : ""}${tone ? ` ${tone}` : ""}`}
      onClick={busy ? undefined : onClick}
      disabled={disabled}
      aria-busy={busy}
      aria-pressed={pressed}
      aria-haspopup={menuOpen === undefined ? undefined : "menu"}
      aria-expanded={menuOpen}
      aria-label={label}
      title={iconOnly && typeof children === "string" ? children : undefined}
    >
      {icon && <Icon name={icon} size={18} />}
      {iconOnly ? <span class="unseen">{children}</span> : <span>{children}</span>}
    </button>
  );
}
