/** Who has a file, as part of a sentence. Called by the screens that offer files. */
import { useApp } from "../state/app-state.ts";
import { holderParts } from "./holder-words.ts";

interface HolderNamesProps {
  ids: readonly string[];
  /** Before names. */
  before?: string;
  /** In place of names, where nobody has one. */
  count: string;
}

export function HolderNames({ ids, before, count }: HolderNamesProps) {
  const parts = holderParts(ids, useApp().peerNames.value);
  if (parts.length === 0) return <>{count}</>;
  return (
    <>
      {before}
      {parts.map(({ text, isName }, at) => (isName ? <bdi key={at}>{text}</bdi> : text))}
    </>
  );
}
