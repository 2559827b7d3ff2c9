/**
 * A search as one types: names that fit are shown at once, the node's ranking by name and meaning when it comes. Called by
 * the screens of files and of the network; calls the client's lists through what it is given.
 */
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { FINDING_PAUSE_MS } from "../limits.ts";
import { createLive } from "../state/live.ts";
import { messageOf } from "../state/toasts.ts";
import { useKept } from "../state/use-kept.ts";
import { type FindableFile, matching, withNamesakes } from "./matching.ts";

/** To the words `text`. */
type Answer<F> = { text: string } & (
  | { hits: readonly F[]; rankedBy: "meaning" | "name" | undefined; failure?: undefined }
  /** Why the node could not say; names are still compared here. */
  | { failure: string; hits?: undefined; rankedBy?: undefined }
);

export interface Finding<F> {
  /** What was typed. */
  words: Signal<string>;
  isFinding: boolean;
  /** The node has not answered to these words yet. */
  isAsking: boolean;
  /** The node has answered to these words, or to others a moment ago, and neither it nor a name fits. */
  isNothing: boolean;
  /** All files where nothing is looked for; else hits, best first. */
  files: readonly F[];
  /** Undefined until the node has answered. */
  rankedBy: "meaning" | "name" | undefined;
  /** Why the node could not say; files are then those whose names fit. */
  failure: string | undefined;
  /** The node would answer otherwise by now: it is asked once more, and what was found stays until then. */
  askAgain: () => void;
}

export function useFinding<F extends FindableFile>(
  all: readonly F[],
  ask: (
    text: string,
    signal: AbortSignal,
  ) => Promise<{ files: readonly F[]; ranked_by?: "meaning" | "name" }>,
): Finding<F> {
  const words = useKept("words", "");
  const answer = useKept<Answer<F> | undefined>("found", undefined);
  const again = useRef(() => {});
  const text = words.value.trim();

  useEffect(() => {
    if (text === "") {
      answer.value = undefined;
      return;
    }
    const stop = new AbortController();
    const { refresh } = createLive(async () => {
      try {
        const { files, ranked_by } = await ask(text, stop.signal);
        if (!stop.signal.aborted) answer.value = { text, hits: files, rankedBy: ranked_by };
      } catch (error) {
        if (!stop.signal.aborted) answer.value = { text, failure: messageOf(error) };
      }
    });
    const timer = setTimeout(refresh, FINDING_PAUSE_MS);
    again.current = () => void refresh();
    return () => {
      again.current = () => {};
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, all.length]);

  const files = foundAmong(all, text, answer.value?.hits);
  return {
    words,
    isFinding: text !== "",
    isAsking: text !== "" && answer.value?.text !== text,
    isNothing: text !== "" && answer.value !== undefined && files.length === 0,
    files,
    rankedBy: answer.value?.rankedBy,
    failure: answer.value?.failure,
    askAgain: () => again.current(),
  };
}

function foundAmong<F extends FindableFile>(all: readonly F[], text: string, hits: readonly F[] | undefined) {
  if (text === "") return all;
  return hits === undefined ? matching(all, text) : withNamesakes(hits, all, text);
}
