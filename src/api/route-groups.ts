/**
 * The groups in which the OpenAPI document lists its operations, by route, in the order in which a reader meets them. Called
 * by docs alone; a route that no group has fails the document, and so its tests.
 */

interface RouteGroup {
  /** The tag of its operations (OpenAPI 3.1, Tag Object). */
  name: string;
  description: string;
  /** Paths, as the document spells them. */
  paths: RegExp;
}

const GROUPS: readonly RouteGroup[] = [
  {
    name: "files",
    description: "Share files, see what is here and what others offer, and read bytes",
    paths: /^\/api\/v1\/(files(\/(network|share|\{file_id\}(\/content)?))?|tickets|stream\/.+)$|^\/ipfs\//,
  },
  {
    name: "folders",
    description: "Several files under one id",
    paths: /^\/api\/v1\/folders(\/|$)/,
  },
  {
    name: "transfers",
    description: "Download files from peers, and what becomes of that",
    paths: /^\/api\/v1\/transfers(\/|$)/,
  },
  {
    name: "file search",
    description: "Files by what they are about; GET /api/v1/files and /files/network take `q`, too",
    paths: /^\/api\/v1\/(search|files\/map|files\/\{file_id\}\/similar)$/,
  },
  {
    name: "peers",
    description: "Who is connected, connecting, and asking one peer to download a file",
    paths: /^\/api\/v1\/(node\/peers|invitations(\/|$))/,
  },
  {
    name: "events and webhooks",
    description: "What happens on the node, read as a stream or sent to an address",
    paths: /^\/api\/v1\/(events|node\/webhooks)(\/|$)/,
  },
  {
    name: "node",
    description: "The node itself: what it is, its load, settings, identity and storage",
    paths:
      /^\/api\/v1\/(node\/info|system\/stats|settings|identity|storage(\/persist)?)$|^\/(health|metrics)$/,
  },
  {
    name: "vectors",
    description: "What the index holds: add, read, list and delete vectors with metadata",
    paths: /^\/vectors(\/|$)|^\/metadata\/query$/,
  },
  { name: "vector search", description: "The nearest vectors, by several rules", paths: /^\/search(\/|$)/ },
  {
    name: "vector reduction",
    description: "Vectors with fewer dimensions",
    paths: /^\/(reduce|admin\/refit)$/,
  },
  {
    name: "index administration",
    description: "Backups of the index, and how it is",
    paths: /^\/admin\/(backups?|restore|metrics)(\/|$)/,
  },
  {
    name: "documentation",
    description: "This document, and a page to read it with",
    paths: /^\/api\/v1\/(openapi\.json|docs)(\/|$)/,
  },
];

interface Document {
  paths?: object;
}

interface Tag {
  name: string;
  description: string;
}

/** The document with each operation in its group, and the groups that have any. @throws Error for a route in none */
export function grouped<D extends Document>(document: D): D & { tags: Tag[] } {
  const used = new Set<RouteGroup>();
  const paths = Object.entries(document.paths ?? {}).map(([path, operations]) => {
    const group = GROUPS.find((one) => one.paths.test(path));
    if (group === undefined) throw new Error(`${path} is in no group of routes`);
    used.add(group);
    const tagged = Object.entries(operations as Record<string, object>).map(([method, operation]) => [
      method,
      { tags: [group.name], ...operation },
    ]);
    return [path, Object.fromEntries(tagged)];
  });
  const tags = GROUPS.filter((group) => used.has(group)).map(({ name, description }) => ({
    name,
    description,
  }));
  return { ...document, tags, paths: Object.fromEntries(paths) };
}
