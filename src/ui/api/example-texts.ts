/**
 * The examples of the screen of the API: each a request as data, from which its two spellings are made and which the page
 * can run, so that what is read is what is run. Called by examples; calls nothing.
 */

interface Body {
  type: "application/json" | "text/plain";
  text: string;
  /** The same value in JavaScript, where that is shorter. */
  expression?: string;
}

export interface Example {
  title: string;
  /** What it does, and what to look at. */
  about: string;
  method: "GET" | "POST";
  /** With its query. */
  path: string;
  body?: Body;
  /** Why it is not run from the page; undefined where it is. */
  whyNotRun?: string;
}

function json(value: unknown, expression?: string): Body {
  const text = JSON.stringify(value);
  return { type: "application/json", text, ...(expression !== undefined && { expression }) };
}

/** `dimension`: of the index's vectors. `fileId`: of a file there is, for the examples that need one. */
export function examplesFor(dimension: number, fileId: string | undefined): Example[] {
  const vector = Array.from({ length: dimension }, (_, at) => (at === 0 ? 1 : 0));
  const vectorText = `[1, ...Array(${dimension - 1}).fill(0)]`;
  return [
    {
      title: "About the node",
      about: "Its id, how long it runs, and how much room there is.",
      method: "GET",
      path: "/api/v1/node/info",
    },
    {
      title: "Files here",
      about: "All files of this node. complete is false while one is still being downloaded.",
      method: "GET",
      path: "/api/v1/files?limit=5",
    },
    {
      title: "Files in the swarm",
      about: "What connected peers offer, and who holds it.",
      method: "GET",
      path: "/api/v1/files/network?limit=5",
    },
    {
      title: "Share a text",
      about: "The body is the file, of any size. The answer has the id that others download it by.",
      method: "POST",
      path: "/api/v1/files?name=hello.txt",
      body: { type: "text/plain", text: "hello, shoal" },
    },
    {
      title: "Download a file",
      about: "From all peers that hold it. Look at the transfer by the id in the answer.",
      method: "POST",
      path: "/api/v1/transfers/download",
      body: json({ file_id: fileId ?? "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" }),
    },
    {
      title: "Transfers",
      about: "Under way and ended within a day.",
      method: "GET",
      path: "/api/v1/transfers?all=true&limit=5",
    },
    {
      title: "Add a vector",
      about: "An id that is taken gets the new vector in place of its own.",
      method: "POST",
      path: "/vectors",
      body: json(
        { id: 1, vector, metadata: { title: "A", tags: ["first"] } },
        `{ id: 1, vector: ${vectorText}, metadata: { title: "A", tags: ["first"] } }`,
      ),
      whyNotRun: "It is not run from here, for it would change your index.",
    },
    {
      title: "Search vectors",
      about: "The nearest ones, and how far each is.",
      method: "POST",
      path: "/search",
      body: json({ vector, k: 3 }, `{ vector: ${vectorText}, k: 3 }`),
    },
    {
      title: "Ask the metadata",
      about: "One SELECT; nothing can be changed by it.",
      method: "POST",
      path: "/metadata/query",
      body: json({ query: "SELECT count(*) AS vectors FROM metadata" }),
    },
    {
      title: "Events as they happen",
      about: "Server-sent events: transfers, peers, files. The answer stays open.",
      method: "GET",
      path: "/api/v1/events",
      whyNotRun: "It is not run from here, for its answer does not end.",
    },
  ];
}

/** For a POSIX shell, with the key in SHOAL_API_KEY. */
export function curlText({ method, path, body }: Example, origin: string): string {
  const lines = [
    `curl${path.endsWith("/events") ? " -N" : ""}${method === "GET" ? "" : ` -X ${method}`} ${shellQuoted(origin + path)}`,
    `-H "Authorization: Bearer $SHOAL_API_KEY"`,
  ];
  if (body !== undefined)
    lines.push(`-H ${shellQuoted(`Content-Type: ${body.type}`)}`, `-d ${shellQuoted(body.text)}`);
  return lines.join(" \\\n  ");
}

/** For the console of this page, or code of this origin. */
export function fetchText({ method, path, body }: Example): string {
  const lines = [
    `const response = await fetch(${JSON.stringify(path)}, {`,
    ...(method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`]),
    "  headers: {",
    `    Authorization: \`Bearer \${await shoal.apiKey()}\`,`,
    ...(body === undefined ? [] : [`    "Content-Type": ${JSON.stringify(body.type)},`]),
    "  },",
    ...(body === undefined ? [] : [`  body: ${bodyText(body)},`]),
    "});",
    path.endsWith("/events")
      ? "for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);"
      : "console.log(await response.json());",
  ];
  return lines.join("\n");
}

function bodyText({ type, text, expression }: Body): string {
  return type === "application/json" ? `JSON.stringify(${expression ?? text})` : JSON.stringify(text);
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
