/**
 * Whether others can open a link as it stands: a page that was opened at this device's name for itself puts that into its links.
 * Called by file-actions and link-dialog. Source: RFC 6761, 6.3 (localhost); RFC 6890, 2.2.2 (127.0.0.0/8).
 */
const OWN_NAMES = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** What is said of a link that opens here alone; undefined where others may reach its page. */
export function hereAloneText(link: string): string | undefined {
  const { hostname } = new URL(link);
  if (!OWN_NAMES.test(hostname)) return undefined;
  return `It opens on this device alone, since it begins with ${hostname}. Others can paste it on a page of Shoal that they reach.`;
}
