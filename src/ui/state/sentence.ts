/** A message of the node as a sentence, which others may follow. Called by the screens. */
export function sentence(message: string): string {
  const first = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
