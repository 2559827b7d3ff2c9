/** A component whose code is loaded when it is first drawn; nothing stands in its place until then. Called by screens. */
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;

  return function Lazy(props: Props) {
    const state = useSignal<"loading" | "ready" | "failed">(loaded === undefined ? "loading" : "ready");
    useEffect(() => {
      if (loaded !== undefined) return;
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
    const Loaded = loaded;
    if (Loaded !== undefined && state.value === "ready") return <Loaded {...props} />;
    return state.value === "failed" ? (
      <p class="quiet small">This drawing did not load. Reload the page.</p>
    ) : null;
  };
}
