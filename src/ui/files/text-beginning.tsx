/**
 * The beginning of a text file, whatever encoding it is in, and how it is shown. Called by preview-dialog; calls the client
 * and the host, which knows encodings.
 */
import { bytesText } from "../elements/quantities.ts";
import { MAX_TEXT_PREVIEW_BYTES } from "../limits.ts";
import type { DecodedText } from "../ports.ts";
import type { AppState } from "../state/app-state.ts";
import type { NamedFile } from "./file-actions.ts";

export interface Beginning extends DecodedText {
  isCut: boolean;
}

/** Undefined where it is no text. */
export async function beginningOf(
  { client, host }: Pick<AppState, "client" | "host">,
  file: NamedFile,
  signal: AbortSignal,
): Promise<Beginning | undefined> {
  const end = Math.min(file.size, MAX_TEXT_PREVIEW_BYTES);
  const response = await client.content(file.id, { start: 0, end, signal });
  const decoded = await host.decodeText(new Uint8Array(await response.arrayBuffer()));
  return decoded && { ...decoded, isCut: end < file.size };
}

export function TextBeginning({ text, guessed, isCut }: Beginning) {
  return (
    <>
      {guessed !== undefined && (
        <p class="quiet small">
          Read as {encodingName(guessed)}, which is a guess: the file does not say how its letters are
          written.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach that */}
      <pre tabIndex={0}>{text}</pre>
      {isCut && (
        <p class="quiet small">
          The first {bytesText(MAX_TEXT_PREVIEW_BYTES)}. Save the file to see the rest.
        </p>
      )}
    </>
  );
}

/** As people write it: "windows-1252" to engines. */
function encodingName(label: string): string {
  return label.replace(/^windows/, "Windows").replace(/^(?!Windows).*$/, (other) => other.toUpperCase());
}
