/** Where the network says what went wrong without being anybody's fault: a dial that failed, a peer that broke off. */
export type NetworkLog = (what: string, details: Record<string, unknown>) => void;
