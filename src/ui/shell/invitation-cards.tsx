/** What peers ask to be downloaded here, the newest first, until it is answered. Called by the shell. */
import { Button } from "../elements/button.tsx";
import { FileName } from "../elements/file-name.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { MAX_INVITATION_CARDS } from "../limits.ts";
import { fragmentOf, linkOf } from "../links.ts";
import { PeerName } from "../peers/peer-name.tsx";
import { useApp } from "../state/app-state.ts";
import type { Invitation } from "../state/entries.ts";
import { CornerCard } from "./corner-card.tsx";
import "./invitation-cards.css";

export function InvitationCards() {
  const { invitations, router } = useApp();
  const route = router.route.value;
  const seen = route.screen === "get" ? route.link.fileId : undefined;
  const shown = (invitations.value.value ?? []).filter(({ file_id }) => file_id !== seen).toReversed();
  const more = shown.length - MAX_INVITATION_CARDS;
  return (
    <div class="invitations" role="status" aria-atomic={false}>
      {shown.slice(0, MAX_INVITATION_CARDS).map((invitation) => (
        <Card key={invitation.id} invitation={invitation} />
      ))}
      {more > 0 && <p class="invitations-more small">and {more} more</p>}
    </div>
  );
}

function Card({ invitation: { id, peer_id, peer_name, file_id, name, size } }: { invitation: Invitation }) {
  const { client, invitations, toasts } = useApp();
  const words = `invitation-${id}`;
  const leave = async () => {
    try {
      await client.dismissInvitation(id);
    } catch (error) {
      toasts.showError(error);
    }
    // Another tab may have answered it.
    await invitations.refresh().catch(() => undefined);
  };
  return (
    <CornerCard
      wordsId={words}
      actions={
        <>
          <Button weight="bare" describedBy={words} onClick={() => void leave()}>
            No, thanks
          </Button>
          <a class="button" aria-describedby={words} href={fragmentOf(linkOf({ id: file_id, name, size }))}>
            Have a look
          </a>
        </>
      }
    >
      <PeerName id={peer_id} name={peer_name} /> sends you <FileName name={name} />,{" "}
      <span class="figures">{fileSizeText(name, size)}</span>
    </CornerCard>
  );
}
