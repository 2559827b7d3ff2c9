/**
 * The media type that a file's bytes are sent with. Only types that can't run anything in a browser are named;
 * all else, HTML, SVG, XML and PDF among it, is an attachment of unknown bytes. Called by content.
 */
const SAFE_MEDIA_TYPES: Record<string, string> = {
  txt: "text/plain; charset=utf-8",
  log: "text/plain; charset=utf-8",
  md: "text/plain; charset=utf-8",
  csv: "text/plain; charset=utf-8",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  oga: "audio/ogg",
  weba: "audio/webm",
  mp4: "video/mp4",
  m4v: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  ogv: "video/ogg",
  mkv: "video/x-matroska",
};

/** The safe media type that a name's extension stands for, or undefined. */
export function safeMediaType(name: string): string | undefined {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(SAFE_MEDIA_TYPES, extension) ? SAFE_MEDIA_TYPES[extension] : undefined;
}
