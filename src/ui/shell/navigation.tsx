/** The way between screens: a rail on wide windows, a bar at the foot of a phone with the rest behind More. Called by the shell. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../elements/icon.tsx";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import "./navigation.css";
import { SCREENS, type Screen } from "./screens.tsx";

export function Navigation({ current }: { current: string }) {
  const isOpen = useSignal(false);
  const more = useRef<HTMLButtonElement>(null);
  const main = SCREENS.filter((screen) => screen.main);
  const rest = SCREENS.filter((screen) => !screen.main);
  useEffect(() => {
    isOpen.value = false;
  }, [current]);
  const isRestCurrent = rest.some(({ name }) => name === current);
  return (
    <nav
      class={`navigation${isOpen.value ? " open" : ""}`}
      aria-label="Screens"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen.value) return;
        isOpen.value = false;
        more.current?.focus();
      }}
    >
      <ul>
        {main.map((screen) => (
          <NavigationLink key={screen.name} screen={screen} current={current} />
        ))}
      </ul>
      {rest.length > 0 && (
        <button
          ref={more}
          type="button"
          class={`navigation-more${isRestCurrent ? " current" : ""}`}
          aria-expanded={isOpen.value}
          aria-controls="navigation-rest"
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <Icon name="more" />
          <span>More</span>
        </button>
      )}
      <ul id="navigation-rest" class="navigation-rest">
        {rest.map((screen) => (
          <NavigationLink key={screen.name} screen={screen} current={current} />
        ))}
      </ul>
    </nav>
  );
}

function NavigationLink({ screen, current }: { screen: Screen; current: string }) {
  return (
    <li>
      <a href={hrefOf(screen.name)} aria-current={screen.name === current ? "page" : undefined}>
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
  const active = (transfers.value.value ?? []).filter(({ status }) =>
    ["started", "in_progress", "resumed"].includes(status),
  ).length;
  if (active === 0) return null;
  return (
    <span class="navigation-count figures">
      {active}
      <span class="unseen"> running</span>
    </span>
  );
}
