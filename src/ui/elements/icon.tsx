/** Line drawings, 20 by 20, stroke as thick as a chart's hairline times two. Decoration only: words stand beside them. */
const PATHS = {
  files: "M4 5.5h4l1.5 2H16v8H4z",
  network: "M3 7c2.3-2 4.7-2 7 0s4.7 2 7 0M3 11c2.3-2 4.7-2 7 0s4.7 2 7 0M3 15c2.3-2 4.7-2 7 0s4.7 2 7 0",
  transfers: "M7 4v12M7 16l-3-3M7 16l3-3M13 16V4M13 4l-3 3M13 4l3 3",
  peers:
    "M12 5a2 2 0 1 0 0 .01M6.5 14a2 2 0 1 0 0 .01M17.5 14a2 2 0 1 0 0 .01M9 6.8l-3.4 5.4M11 6.8l3.4 5.4M6.5 14h7",
  map: "M3 5.5 7.5 4l5 1.5L17 4v10.5L12.5 16l-5-1.5L3 16zM7.5 4v10.5M12.5 5.5V16",
  vectors:
    "M10 10 16 5M10 10v7M10 10l-6-4M16 5l-2.6.3M16 5l-.6 2.5M10 17l-1.5-2M10 17l1.5-2M4 6l2.3.2M4 6l.9 2.1",
  api: "M7 6l-4 4 4 4M13 6l4 4-4 4M11 4.5l-2 11",
  settings: "M3 6.5h8M15 6.5h2M13 4.5v4M3 13.5h2M9 13.5h8M7 11.5v4",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  add: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5 5 15",
  copy: "M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3",
  check: "M4 10.5l4 4 8-9",
  link: "M8.5 11.5l3-3M9.5 6.5l1.3-1.3a3 3 0 0 1 4.2 4.2l-1.5 1.3M10.5 13.5l-1.3 1.3a3 3 0 0 1-4.2-4.2l1.5-1.3",
  qr: "M4 4h4.5v4.5H4zM11.5 4H16v4.5h-4.5zM4 11.5h4.5V16H4zM11.5 11.5h2v2h-2zM16 11.5v1.5M13.5 16H16v-1",
  share: "M10 12V3.5M10 3.5 7 6.5M10 3.5l3 3M6 9H4.5v7.5h11V9H14",
  save: "M10 3.5V12M10 12 7 9M10 12l3-3M4 13.5v3h12v-3",
  play: "M7 4.5 15 10l-8 5.5z",
  pause: "M7 5v10M13 5v10",
  retry: "M15.5 10a5.5 5.5 0 1 1-1.7-4M14 3v3.2h-3.2",
  open: "M11.5 4H16v4.5M16 4l-6.5 6.5M14 11.5V16H4V6h4.5",
  remove: "M4 6h12M8 6V4h4v2M5.5 6l.8 10.5h7.4L14.5 6",
  search: "M13.5 8.7a4.8 4.8 0 1 1 0-.01M12.3 12.3 16.5 16.5",
  down: "M10 4v11M10 15l-4-4M10 15l4-4",
  up: "M10 16V5M10 5 6 9M10 5l4 4",
  folded: "M7.5 5l5 5-5 5",
  unfolded: "M5 7.5l5 5 5-5",
  camera: "M3.5 6.5h3l1.2-2h4.6l1.2 2h3v9h-13zM12.7 10.8a2.7 2.7 0 1 1 0-.01",
  warn: "M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.3v.01",
  info: "M17 10a7 7 0 1 1 0-.01M10 9v4.5M10 6.5v.01",
} as const;

export type IconName = keyof typeof PATHS;

/** Of letters as the browser has them by itself, with which icons grow. */
const REM_PIXELS = 16;

/** `size`: pixels beside such letters. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  const length = `${size / REM_PIXELS}rem`;
  return (
    <svg
      class="icon"
      aria-hidden="true"
      width={length}
      height={length}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width={name === "more" ? 2.2 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
