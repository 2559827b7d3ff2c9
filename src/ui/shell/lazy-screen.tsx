/** A screen whose code is loaded when it is first drawn. Called by screens; the wait and its failure are said. */
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { EmptyState } from "../elements/empty-state.tsx";

export function lazyScreen(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;

  return function LazyScreen() {
    const state = useSignal<"loading" | "ready" | "failed">(loaded === undefined ? "loading" : "ready");
    const start = () => {
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
    };
    useEffect(() => {
      if (loaded === undefined) start();
    }, []);

    const Loaded = loaded;
    if (state.value === "ready" && Loaded !== undefined) return <Loaded />;
    if (state.value === "loading") return <p class="quiet">Loading this screen…</p>;
    return (
      <EmptyState title="This screen did not load" actions={<Button onClick={start}>Try again</Button>}>
        <p>Its code could not be fetched. Are you offline, or was a new version put up just now?</p>
      </EmptyState>
    );
  };
}
