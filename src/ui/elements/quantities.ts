/** Numbers as people read them: bytes, speeds, times. Called by the screens. Decimal units, as disks and networks count. */

const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];

/** `1.5 MB`; three figures at most. */
export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  let value = bytes / 1000 ** power;
  let unit = power;
  // 999.7 kB would read as 1000 kB.
  if (unit > 0 && unit < UNITS.length - 1 && Math.round(value) >= 1000) {
    value /= 1000;
    unit += 1;
  }
  if (unit === 0) return value === 1 ? "1 byte" : `${Math.round(value)} bytes`;
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${Number(value.toFixed(digits))} ${UNITS[unit]}`;
}

export function speedText(bytesPerSecond: number): string {
  return bytesPerSecond === 0 ? "0 kB/s" : `${bytesText(bytesPerSecond)}/s`;
}

/** `12 s`, `3 min`, `2 h 10 min`, `4 days`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** What is left of a transfer at its present speed; undefined while that says nothing. */
export function timeLeftText(leftBytes: number, bytesPerSecond: number): string | undefined {
  if (leftBytes <= 0 || bytesPerSecond < 1) return undefined;
  return `${durationText(leftBytes / bytesPerSecond)} left`;
}

/** Never rounds up to 100 before all is there. */
export function percentText(fraction: number): string {
  return `${fraction >= 1 ? 100 : Math.min(99, Math.floor(fraction * 100))} %`;
}

const FIGURES = new Intl.NumberFormat("en");

/** `1,234` */
export function numberText(count: number): string {
  return FIGURES.format(count);
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

const SHORT_DATE = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

const DATE_OF_ANOTHER_YEAR = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
});

/** When something was, near times in words. */
export function whenText(iso: string, nowMs = Date.now()): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date(nowMs).getFullYear();
  return (isThisYear ? SHORT_DATE : DATE_OF_ANOTHER_YEAR).format(date);
}

/** The beginning and the end of an id, enough to tell two apart. */
export function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 4)}…${id.slice(-6)}`;
}
