/**
 * Moves a scatter by pointer, wheel, pinch and keyboard. Called by scatter; calls scatter-view. The wheel and a single
 * finger belong to the page until the drawing has the focus, so that nobody is caught while scrolling by.
 */
import { panned, type Size, type Spot, type View, zoomed } from "./scatter-view.ts";

export interface GestureTarget {
  view(): View;
  whole(): View;
  move(view: View): void;
  /** Pointer over a spot with no button pressed; undefined when it left. */
  hover(spot: Spot | undefined): void;
  /** Click or tap. */
  pick(spot: Spot): void;
}

/** A pointer that moved less than this between press and release has clicked, in CSS pixels. */
const CLICK_SLACK_PIXELS = 5;

/** Listens until the signal aborts. */
export function listenToGestures(plane: HTMLElement, target: GestureTarget, signal: AbortSignal): void {
  const down = new Map<number, Spot>();
  let travelled = 0;

  const spotOf = (event: MouseEvent): Spot => {
    const { left, top } = plane.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const sizeOf = (): Size => ({ width: plane.clientWidth, height: plane.clientHeight });

  function pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    plane.setPointerCapture(event.pointerId);
    if (down.size === 0) travelled = 0;
    down.set(event.pointerId, spotOf(event));
    target.hover(undefined);
  }

  function moved(event: PointerEvent): void {
    const spot = spotOf(event);
    const before = down.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType === "mouse") target.hover(spot);
      return;
    }
    travelled += Math.hypot(spot.x - before.x, spot.y - before.y);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other !== undefined) target.move(pinched(other, before, spot));
    else if (travelled > CLICK_SLACK_PIXELS) {
      target.move(panned(target.view(), spot.x - before.x, spot.y - before.y));
    }
    down.set(event.pointerId, spot);
  }

  /** The finger that moved took the plane with it, the other held still. */
  function pinched(still: Spot, before: Spot, now: Spot): View {
    const apart = Math.hypot(before.x - still.x, before.y - still.y);
    const factor = apart === 0 ? 1 : Math.hypot(now.x - still.x, now.y - still.y) / apart;
    const middle = { x: (still.x + now.x) / 2, y: (still.y + now.y) / 2 };
    const turned = zoomed(target.view(), target.whole(), sizeOf(), middle, factor);
    return panned(turned, (now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  function released(event: PointerEvent): void {
    const was = down.delete(event.pointerId);
    const isClick = was && down.size === 0 && event.type === "pointerup" && travelled <= CLICK_SLACK_PIXELS;
    if (isClick) target.pick(spotOf(event));
  }

  function turned(event: WheelEvent): void {
    if (!event.ctrlKey && document.activeElement !== plane) return;
    event.preventDefault();
    // Wheels turn in steps of about 100 pixels, pinches on a trackpad in single ones.
    const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002));
    target.move(zoomed(target.view(), target.whole(), sizeOf(), spotOf(event), factor));
  }

  plane.addEventListener("pointerdown", pressed, { signal });
  plane.addEventListener("pointermove", moved, { signal });
  plane.addEventListener("pointerup", released, { signal });
  plane.addEventListener("pointercancel", released, { signal });
  plane.addEventListener("pointerleave", () => target.hover(undefined), { signal });
  plane.addEventListener("wheel", turned, { signal, passive: false });
}
