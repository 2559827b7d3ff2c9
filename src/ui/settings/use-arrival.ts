/**
 * Leads to the part of the settings that the address names, once it is drawn, and back to where the screen was left. Called by
 * settings-screen. A part's first link, its name, takes the focus.
 */
import { useEffect, useRef } from "preact/hooks";
import type { Place } from "../places.ts";
import { hrefOfSetting, sectionOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";

/** `isDrawn`: all of it, so that nothing moves any more. */
export function useArrival(isDrawn: boolean): void {
  const { router } = useApp();
  const section = sectionOf(router.route.value);
  const place = router.place();
  const arrived = useRef<Place | undefined>(undefined);
  useEffect(() => {
    if (!isDrawn || arrived.current === place) return;
    const isFirst = arrived.current === undefined;
    arrived.current = place;
    if (section === undefined || place.scrollY > 0) {
      // The shell has scrolled a screen that is drawn by itself.
      if (!isFirst || place.scrollY > 0) window.scrollTo(0, place.scrollY);
      return;
    }
    const link = document.querySelector<HTMLElement>(`a[href="${hrefOfSetting(section)}"]`);
    link?.closest("section")?.scrollIntoView();
    link?.focus({ preventScroll: true });
  }, [isDrawn, place, section]);
}
