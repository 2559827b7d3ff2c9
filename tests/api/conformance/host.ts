/** What a host of the REST API hands to the conformance suite. Implemented by the suites of the hosts. */
export interface ConformanceHost {
  /** Sends a request to the host, as its clients would; `isStream`: its body does not say its length. */
  fetch: (request: Request, body?: { isStream: boolean }) => Promise<Response>;
  /** Whether its clients may say any Origin: a browser names that of the page by itself, and lets no script do so. */
  takesAnyOrigin: boolean;
  /** Origin of the host, such as `http://127.0.0.1:8081`, without a slash at the end. */
  baseUrl: string;
  apiKey: string;
  /** Puts a file, whose name may have folders, where `file_path` may point, and gives that path. */
  placeFile(name: string, bytes: Uint8Array): Promise<string>;
  /** A path inside no share root. */
  forbiddenPath: string;
  /** Lets another peer offer a file; its chunks come only after `release`, inner nodes of its DAG at once. */
  offerFile(name: string, bytes: Uint8Array): Promise<{ fileId: string; release: () => void }>;
  /** A path that downloads may go to, and what stands there later. */
  outputPath(name: string): string;
  readOutput(path: string): Promise<Uint8Array>;
  /** Multiaddr of a peer that answers. */
  peerAddress: string;
  /** Numbers in a vector of the host's index, at least 3, which measures by cosine. */
  vxDimension: number;
  /** Whether its files are read and found by meaning: maps and filters need that. */
  indexesFiles: boolean;
  /** Another start of the same host that allows few requests a minute. */
  limited: { fetch: (request: Request) => Promise<Response>; requestsPerMinute: number };
  close(): Promise<void>;
}
