/** Words in which an option of the command, as `--relay`, is kept on one line: it may be typed off. Called by advice and toasts. */
import "./option-words.css";

export function OptionWords({ text }: { text: string }) {
  // Each second part is an option.
  const parts = text.split(/(?<![\w-])(--[a-z][a-z-]*)/);
  return (
    <>
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <span key={at} class="option-word">
            {part}
          </span>
        ),
      )}
    </>
  );
}
