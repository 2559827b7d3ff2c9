/**
 * The frame around every screen: skip link, navigation, status, the screen itself. Moves the focus to a new screen's
 * heading, or to where keys left it, and names it in the title. Called by app.tsx.
 */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { shownName } from "../../spelling/folder-name.ts";
import { ToastStack } from "../elements/toasts.tsx";
import { DropAnywhere } from "../files/drop-anywhere.tsx";
import { keyOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import { Corner } from "./corner.tsx";
import { InvitationCards } from "./invitation-cards.tsx";
import { keepFocus } from "./keep-focus.ts";
import { Navigation } from "./navigation.tsx";
import { NodeNotice } from "./node-notice.tsx";
import { rememberedSpot, rememberSpots } from "./place-focus.ts";
import { watchPresence } from "./presence.ts";
import { GetScreen, SCREENS } from "./screens.tsx";
import { UpdateOffer } from "./update-offer.tsx";
import "./shell.css";
import { StatusLine } from "./status-line.tsx";
import { UnknownScreen } from "./unknown-screen.tsx";
import { Wordmark } from "./wordmark.tsx";

export function Shell() {
  const app = useApp();
  const { router } = app;
  const route = router.route.value;
  const screen = SCREENS.find(({ name }) => name === route.screen);
  const title =
    screen?.title ?? (route.screen === "get" ? shownName(route.link.name ?? "A file") : "Nothing here");
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const key = keyOf(route);
  // At once: later it would take the focus from where keys have put it meanwhile.
  useLayoutEffect(() => {
    document.title = `${title} · Shoal`;
    const place = router.place();
    const drawn = main.current;
    if (drawn === null) return undefined;
    if (!isFirst.current) (rememberedSpot(drawn, place) ?? drawn).focus({ preventScroll: true });
    isFirst.current = false;
    window.scrollTo(0, place.scrollY);
    // Until the next is drawn: a dialog that goes with this one gives the focus back to it.
    return rememberSpots(drawn, place);
  }, [key]);

  useEffect(() => watchPresence(app), [app]);
  useEffect(() => (main.current === null ? undefined : keepFocus(main.current)), []);

  const Drawn = screen?.component ?? (route.screen === "get" ? GetScreen : UnknownScreen);
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="shell-head">
        <Wordmark />
        <StatusLine />
      </header>
      <Navigation current={route.screen} />
      <main ref={main} tabIndex={-1} aria-label={title}>
        <NodeNotice />
        <Drawn key={key} />
      </main>
      <DropAnywhere />
      <Corner>
        <InvitationCards />
        <UpdateOffer />
        <ToastStack />
      </Corner>
    </div>
  );
}
