/**
 * The way between screens: a rail on wide windows, a bar at the foot of a phone with the rest behind More. Called by
 * the shell; calls when-dismissed.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../elements/icon.tsx";
import { whenDismissed } from "../elements/when-dismissed.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import { isRunning } from "../transfers/transfer-words.ts";
import "./navigation.css";
import { SCREENS, type Screen } from "./screens.tsx";

export function Navigation({ current }: { current: string }) {
  const isOpen = useSignal(false);
  const open = isOpen.value;
  const navigation = useRef<HTMLElement>(null);
  const more = useRef<HTMLButtonElement>(null);
  const main = SCREENS.filter((screen) => screen.main);
  const rest = SCREENS.filter((screen) => !screen.main);
  const close = () => {
    isOpen.value = false;
  };
  useEffect(close, [current]);
  // At once: keys may be pressed before the browser has painted.
  useLayoutEffect(() => {
    if (!open || navigation.current === null) return undefined;
    return whenDismissed(navigation.current, (giveFocusBack) => {
      close();
      if (giveFocusBack) more.current?.focus();
    });
  }, [open]);
  const isRestCurrent = rest.some(({ name }) => name === current);
  return (
    <nav ref={navigation} class={`navigation${open ? " open" : ""}`} aria-label="Screens">
      <ul>
        {main.map((screen) => (
          <NavigationLink key={screen.name} screen={screen} current={current} onClick={close} />
        ))}
      </ul>
      <button
        ref={more}
        type="button"
        class={`navigation-more${isRestCurrent ? " current" : ""}`}
        aria-expanded={open}
        aria-controls="navigation-rest"
        onClick={() => {
          isOpen.value = !open;
        }}
      >
        <Icon name="more" />
        <span>More</span>
      </button>
      <ul id="navigation-rest" class="navigation-rest">
        {rest.map((screen) => (
          <NavigationLink key={screen.name} screen={screen} current={current} onClick={close} />
        ))}
      </ul>
    </nav>
  );
}

interface NavigationLinkProps {
  screen: Screen;
  current: string;
  /** Also where it leads to the screen that is shown. */
  onClick: () => void;
}

function NavigationLink({ screen, current, onClick }: NavigationLinkProps) {
  return (
    <li>
      <a
        href={hrefOf(screen.name)}
        aria-current={screen.name === current ? "page" : undefined}
        onClick={onClick}
      >
        <Icon name={screen.icon} />
        <span>{screen.title}</span>
        {screen.name === "transfers" && <ActiveCount />}
      </a>
    </li>
  );
}

/** How many transfers run, beside their screen's name. */
function ActiveCount() {
  const { transfers } = useApp();
  const active = (transfers.value.value ?? []).filter(isRunning).length;
  if (active === 0) return null;
  return (
    <span class="navigation-count figures">
      {active}
      <span class="unseen"> running</span>
    </span>
  );
}
