/** A button that asks the person for files. Called by screens and forms; the input behind it takes them. */
import { useRef } from "preact/hooks";
import { Button, type ButtonProps } from "./button.tsx";

interface FileButtonProps extends Omit<ButtonProps, "onClick" | "type"> {
  /** What is asked for, told to screen readers. */
  filesLabel: string;
  /** Endings and media types; any file without. */
  accept?: string;
  /** More than one file, or all those of a folder; one file without. */
  many?: "files" | "folder";
  onFiles: (files: [File, ...File[]]) => void;
}

export function FileButton({ filesLabel, accept, many, onFiles, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement | null>(null);
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={(element) => {
          input.current = element;
          // Known to all engines, and missing in the types of Preact.
          if (many === "folder") element?.setAttribute("webkitdirectory", "");
        }}
        type="file"
        accept={accept}
        multiple={many === "files"}
        hidden
        aria-label={filesLabel}
        onChange={(event) => {
          const [first, ...others] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (first !== undefined) onFiles([first, ...others]);
        }}
      />
    </>
  );
}
