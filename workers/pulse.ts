/**
 * Sends the time to its page at a steady pace; how late it arrives tells how busy the page is. Started by
 * src/browser/system-meter. In a worker, since the timers of a busy page wait for it themselves.
 */
const PULSE_MS = 100;

setInterval(() => postMessage(performance.timeOrigin + performance.now()), PULSE_MS);
