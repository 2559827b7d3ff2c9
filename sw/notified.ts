/**
 * A click on a notification, which ui/shell/notify shows: the page comes to the front. Called by sw. Source:
 * Notifications API.
 */
import { isPagePath } from "../src/bridge/api-paths.ts";

export async function showPage(clients: Clients): Promise<void> {
  // The one that was looked at last is the first.
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = windows.find(({ url }) => isPagePath(new URL(url).pathname));
  await (page === undefined ? clients.openWindow("/") : page.focus());
}
