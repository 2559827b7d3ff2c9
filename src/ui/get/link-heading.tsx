/**
 * What a link names, in four lines, beneath which the button that asks for it is still seen; of a name that takes more its
 * ending, which tells what it is, has another. Called by get-screen.
 */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { headAndTail } from "../elements/name-letters.ts";
import "./link-heading.css";

export function LinkHeading({ name }: { name: string }) {
  const beginning = useRef<HTMLElement>(null);
  const isCut = useSignal(false);
  useLayoutEffect(() => {
    const element = beginning.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      isCut.value = element.scrollHeight > element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [name, isCut]);
  const [head, tail] = headAndTail(name);
  return (
    <h1 class="link-heading">
      <bdi ref={beginning}>{name}</bdi>
      {isCut.value && head !== "" && <bdi aria-hidden="true">{tail}</bdi>}
    </h1>
  );
}
