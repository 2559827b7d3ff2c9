/** Line drawings, 20 by 20, stroke as thick as a chart's hairline times two. Decoration only: words stand beside them. */
const PATHS = {
  files: "M4 5.5h4l1.5 2H16v8H4z",
  network: "M3 7c2.3-2 4.7-2 7 0s4.7 2 7 0M3 11c2.3-2 4.7-2 7 0s4.7 2 7 0M3 15c2.3-2 4.7-2 7 0s4.7 2 7 0",
  transfers: "M7 4v12M7 16l-3-3M7 16l3-3M13 16V4M13 4l-3 3M13 4l3 3",
  peers:
    "M10 4.500a2 2 0 1 0 0 .01M4.5 13.500a2 2 0 1 0 0 .01M15.5 13.500a2 2 0 1 0 0 .01M9 6.300l-3 5.600M11 6.300l3 5.600M6.5 13.500h7",
  vectors:
    "M10 10 16 5M10 10v7M10 10l-6-4M16 5l-2.6.3M16 5l-.6 2.500M10 17l-1.5-2M10 17l1.5-2M4 6l2.3.2M4 6l.9 2.1",
  api: "M7 6l-4 4 4 4M13 6l4 4-4 4M11 4.500l-2 11",
  settings: "M3 6.500h8M15 6.500h2M13 4.500v4M3 13.500h2M9 13.500h8M7 11.500v4",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  add: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5 5 15",
  copy: "M7.5 7.500h8v8h-8zM12.5 7.500v-3h-8v8h3",
  check: "M4 10.500l4 4 8-9",
  link: "M8.5 11.500l3-3M9.5 6.500l1.3-1.300a3 3 0 0 1 4.2 4.200l-1.5 1.300M10.5 13.500l-1.3 1.300a3 3 0 0 1-4.2-4.200l1.5-1.3",
  qr: "M4 4h4.500v4.500H4zM11.5 4H16v4.500h-4.500zM4 11.500h4.500V16H4zM11.5 11.500h2v2h-2zM16 11.500v1.500M13.5 16H16v-1",
  share: "M10 12V3.500M10 3.5 7 6.500M10 3.500l3 3M6 9H4.500v7.500h11V9H14",
  save: "M10 3.500V12M10 12 7 9M10 12l3-3M4 13.500v3h12v-3",
  play: "M7 4.5 15 10l-8 5.500z",
  pause: "M7 5v10M13 5v10",
  stop: "M5.5 5.500h9v9h-9z",
  retry: "M15.5 10a5.5 5.5 0 1 1-1.7-4M14 3v3.200h-3.2",
  open: "M11.5 4H16v4.500M16 4l-6.5 6.500M14 11.500V16H4V6h4.5",
  remove: "M4 6h12M8 6V4h4v2M5.5 6l.8 10.500h7.400L14.5 6",
  search: "M8.7 13.500a4.8 4.8 0 1 1 0-.01M12.3 12.3 16.5 16.5",
  down: "M10 4v11M10 15l-4-4M10 15l4-4",
  up: "M10 16V5M10 5 6 9M10 5l4 4",
  camera: "M3.5 6.500h3l1.2-2h4.600l1.2 2h3v9h-13zM10 13.500a2.7 2.7 0 1 0 0-.01",
  warn: "M10 3.5 17.5 16.500h-15zM10 8.500v3.500M10 14.300v.01",
  info: "M10 17a7 7 0 1 0 0-.01M10 9v4.500M10 6.500v.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      aria-hidden="true"
      width={size}
      height={size}
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
