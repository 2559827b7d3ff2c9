/** Whether a component is drawn still, for what goes on after it has been closed. Called by dialogs. */
import { useEffect, useRef } from "preact/hooks";

export function useDrawn(): () => boolean {
  const isDrawn = useRef(true);
  useEffect(
    () => () => {
      isDrawn.current = false;
    },
    [],
  );
  return () => isDrawn.current;
}
