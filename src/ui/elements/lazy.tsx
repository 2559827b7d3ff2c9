/**
 * A component whose code is loaded when it is first drawn. Until then `Waiting` stands in its place, and `Failed` where the
 * code could not be fetched. Called by screens and their table.
 */
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useCallback, useEffect } from "preact/hooks";

interface Stand {
  Waiting?: ComponentType;
  Failed?: ComponentType<{ retry: () => void }>;
}

export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { Waiting, Failed = FailedDrawing }: Stand = {},
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;

  return function Lazy(props: Props) {
    const state = useSignal<"loading" | "ready" | "failed">(loaded === undefined ? "loading" : "ready");
    const start = useCallback(() => {
      state.value = "loading";
      load().then(
        (component) => {
          loaded = component;
          state.value = "ready";
        },
        () => {
          state.value = "failed";
        },
      );
    }, [state]);
    useEffect(() => {
      if (loaded === undefined) start();
      // It may have come by another since this was drawn.
      else state.value = "ready";
    }, [start, state]);

    const Loaded = loaded;
    if (state.value === "ready" && Loaded !== undefined) return <Loaded {...props} />;
    if (state.value === "failed") return <Failed retry={start} />;
    return Waiting === undefined ? null : <Waiting />;
  };
}

/** Stands where the code of a drawing could not be fetched. */
export function FailedDrawing() {
  return <p class="quiet small">This drawing did not load. Reload the page.</p>;
}
