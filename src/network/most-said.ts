/**
 * What most peers say of one thing, of those that were met if one of them says something: of others one peer can make up a
 * majority. The first heard of wins a tie. Called by announcing/offers and excerpts/heard-excerpts.
 */
export function mostSaid<T>(
  all: readonly (readonly [peerId: string, said: T])[],
  isMet: (peerId: string) => boolean,
  keyOf: (said: T) => string,
): T | undefined {
  const met = all.filter(([peerId]) => isMet(peerId));
  const votes = new Map<string, { count: number; said: T }>();
  for (const [, said] of met.length > 0 ? met : all) {
    const vote = votes.get(keyOf(said)) ?? { count: 0, said };
    vote.count += 1;
    votes.set(keyOf(said), vote);
  }
  let most: { count: number; said: T } | undefined;
  for (const vote of votes.values()) if (most === undefined || vote.count > most.count) most = vote;
  return most?.said;
}
