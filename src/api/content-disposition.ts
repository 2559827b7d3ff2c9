/**
 * Content-Disposition both ways: the header of an answer for a name that strangers chose, and the file name in a
 * header that a client sent. Called by content, uploads and multipart.
 * Sources: RFC 6266, RFC 8187 (`filename*`), and WHATWG HTML for `%22`, `%0D`, `%0A` in form uploads.
 */

/** A header value that is safe whatever the name: no control, quote, path separator or direction override. */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const shown = safeName(name);
  const ascii = shown.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(shown).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** The last step of the path that a client gave as the name of a file, or undefined where none is left. */
export function lastStep(name: string): string | undefined {
  const step = name.split(/[/\\]/).at(-1) ?? "";
  return step === "" || step === "." || step === ".." ? undefined : step;
}

/** A parameter of a Content-Disposition header that was received; `name*` (RFC 8187, UTF-8) wins over `name`. */
export function dispositionParameter(header: string, name: string): string | undefined {
  const parameters = new Map<string, string>();
  const pattern = /;\s*([\w!#$&+\-^`|~.*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;
  for (const [, key = "", quoted, token] of header.matchAll(pattern)) {
    const value = quoted === undefined ? (token ?? "") : quoted.replace(/\\(["\\])/g, "$1");
    if (!parameters.has(key.toLowerCase())) parameters.set(key.toLowerCase(), value);
  }
  return (
    extendedValue(parameters.get(`${name}*`)) ??
    parameters.get(name)?.replace(/%(22|0D|0A)/gi, decodeURIComponent)
  );
}

function extendedValue(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Lone surrogates would make encodeURIComponent throw; the other characters could mislead a reader. */
function safeName(name: string): string {
  const clean = name
    .replace(/\p{Surrogate}/gu, "\ufffd")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: replacing them is the point
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "")
    .replace(/[/\\]/g, "_")
    .trim();
  return clean === "" || clean === "." || clean === ".." ? "file" : clean;
}
