/** The link of a file, as text and as a QR code. Called by rows and the shared card. */
import { shownName } from "../../spelling/folder-name.ts";
import { Advice } from "../elements/advice.tsx";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { Field } from "../elements/field.tsx";
import { FileName } from "../elements/file-name.tsx";
import { QrFrame } from "../elements/qr-frame.tsx";
import { parseLink } from "../links.ts";
import { useApp } from "../state/app-state.ts";
import {
  canShareLinks,
  codeOf,
  copyLinks,
  linkTo,
  type NamedFile,
  shareLink,
  unreachedText,
} from "./file-actions.ts";
import { hereAloneText } from "./link-reach.ts";

export function LinkDialog({ file, onClose }: { file: NamedFile; onClose: () => void }) {
  const app = useApp();
  const code = codeOf(app, file);
  const reach = unreachedText(app) ?? hereAloneText(code);
  return (
    <Dialog
      title={<FileName name={file.name} />}
      onClose={onClose}
      actions={
        <>
          {canShareLinks() && (
            <Button icon="share" onClick={() => void shareLink(app, file)}>
              Share…
            </Button>
          )}
          <Button weight="main" icon="copy" onClick={() => void copyLinks(app, [file])}>
            Copy link
          </Button>
        </>
      }
    >
      <QrFrame text={code} label={`QR code of the link to ${shownName(file.name)}`} />
      {parseLink(code)?.name === undefined && (
        <p class="quiet small">
          The code has no room for so long a name: it is seen once a peer that has the file is found.
        </p>
      )}
      {reach !== undefined && <Advice>{reach}</Advice>}
      <Field label="Link" value={linkTo(app, file)} onInput={() => {}} exact readOnly />
      <p class="quiet small">
        The file's name and this node's addresses are in the part after #, which browsers never send to a
        server.
      </p>
    </Dialog>
  );
}
