/** Who has what was just shared, and until when the page is to be kept open. Called by shared-card. */
import { countText } from "../elements/quantities.ts";
import { HolderNames } from "../peers/holder-names.tsx";
import { useApp } from "../state/app-state.ts";

interface SentToProps {
  /** It has a name: it is one file, or one folder. */
  isNamed: boolean;
  linkCount: number;
}

export function SentTo({ isNamed, linkCount }: SentToProps) {
  const { receivers, isUnintroduced } = useApp();
  const { whole, begun } = receivers.value;
  const all = isNamed ? "it" : "all of them";
  if (whole.length > 0) {
    return (
      <>
        <HolderNames ids={whole} count={countText(whole.length, "peer")} />{" "}
        {whole.length === 1 ? "has" : "have"} {all}; keep this page open for others
      </>
    );
  }
  if (begun.length > 0) {
    return (
      <>
        <HolderNames ids={begun} count={countText(begun.length, "peer")} />{" "}
        {begun.length === 1 ? "has" : "have"} some of {isNamed ? "it" : "them"}; keep this page open until
        they have {all}
      </>
    );
  }
  // Beneath stands why a link brings nobody, and what would.
  if (isUnintroduced.value) return <>keep this page open until others have {all}</>;
  const links = linkCount === 1 ? "the link" : `all ${linkCount} links`;
  return (
    <>
      send {links}, and keep this page open until they have {all}
    </>
  );
}
