/**
 * How the conformance suite speaks to a host: with and without a key, holding each body against the OpenAPI
 * document that the host itself serves. Called by every part of the suite.
 */
import Ajv2020 from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect } from "vitest";
import { checkDocumented, type OpenApiDocument } from "./documented.ts";
import type { ConformanceHost } from "./host.ts";

export type Caller = ReturnType<typeof createCaller>;

/** Opens the host before the tests around it and closes it after them. */
export function createCaller(open: () => Promise<ConformanceHost>) {
  let opened: { host: ConformanceHost; document: OpenApiDocument; ajv: Ajv2020 } | undefined;

  beforeAll(async () => {
    const host = await open();
    const response = await host.fetch(new Request(`${host.baseUrl}/api/v1/openapi.json`));
    const document = (await response.json()) as OpenApiDocument;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, "api");
    opened = { host, document, ajv };
  });
  afterAll(async () => await opened?.host.close());

  function now() {
    if (opened === undefined) throw new Error("the host is not open");
    return opened;
  }
  const host = () => now().host;
  const document = () => now().document;
  const ajv = () => now().ajv;

  async function anonymous(path: string, init: RequestInit = {}): Promise<Response> {
    const request = new Request(host().baseUrl + path, {
      ...init,
      ...(init.body ? { duplex: "half" } : {}),
    } as RequestInit);
    const { method, url } = request;
    const response = await host().fetch(request, { isStream: init.body instanceof ReadableStream });
    await checkDocumented(document(), method, new URL(url).pathname, response);
    return response;
  }

  function call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${host().apiKey}`);
    return anonymous(path, { ...init, headers });
  }

  const json = (method: string, path: string, body: unknown) =>
    call(path, { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } });

  const post = (path: string, body?: unknown) =>
    call(path, {
      method: "POST",
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });

  /** Status and body of an answer, the body held against the schema documented for `route`. */
  async function documented(route: string, answer: Response | Promise<Response>) {
    const response = await answer;
    const body = await bodyOf(response);
    const validate = jsonSchema(route, "responses", String(response.status));
    expect(validate, `${route} documents ${response.status}`).toBeDefined();
    validate?.(body);
    expect(validate?.errors ?? [], `${route} ${response.status} ${JSON.stringify(body)}`).toEqual([]);
    return { status: response.status, body, headers: response.headers };
  }

  /** What the document says against a body that `route` takes. */
  function documentedRequest(route: string, body: unknown): object[] {
    const validate = jsonSchema(route, "requestBody");
    expect(validate, `${route} documents its body`).toBeDefined();
    validate?.(body);
    return validate?.errors ?? [];
  }

  function jsonSchema(route: string, ...within: string[]) {
    const [method = "", path = ""] = route.split(" ");
    const place = ["paths", path, method.toLowerCase(), ...within]
      .map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1"))
      .map(encodeURIComponent);
    return ajv().getSchema(`api#/${place.join("/")}/content/application~1json/schema`);
  }

  /** What the document says against the data of an event. */
  function documentedEvent(event: unknown): object[] {
    const validate = ajv().getSchema("api#/components/schemas/NodeEvent");
    validate?.(event);
    return validate?.errors ?? [];
  }

  async function refused(answer: Promise<Response>) {
    const response = await answer;
    return {
      status: response.status,
      body: (await response.json()) as { code?: number; message?: string },
    };
  }

  async function share(name: string, bytes: Uint8Array): Promise<string> {
    const { body } = await documented(
      "POST /api/v1/files/share",
      post("/api/v1/files/share", { file_path: await host().placeFile(name, bytes) }),
    );
    return body.file_id;
  }

  async function transferIs(transferId: string, status: string): Promise<void> {
    await expect
      .poll(async () => (await bodyOf(call(`/api/v1/transfers/${transferId}`))).status)
      .toBe(status);
  }

  return {
    host,
    document,
    anonymous,
    call,
    post,
    json,
    documented,
    documentedRequest,
    documentedEvent,
    refused,
    share,
    transferIs,
  };
}

export const nodeError = (code: number) => ({
  status: code,
  body: { error: true, code, message: expect.any(String) },
});

export const vxError = (status: number, code: string) => ({
  status,
  body: { error: { code, message: expect.any(String) } },
});

/** Fields of the answers that the suite reads; what an answer really has is checked by its schema. */
export interface Answer {
  backups: { name: string; path: string; size_bytes: number; timestamp: string }[];
  complete: boolean;
  cpu_usage: number;
  created_at: string;
  file_id: string;
  files: { id: string; name: string; peers: string[]; path: string; file_id: string }[];
  id: string;
  metadata: Record<string, unknown>;
  path: string;
  points: { file_id: string; name: string }[];
  peers: { id: string; address: string; connected_since: string }[];
  ranked_by: string;
  results: { id: number; distance: number; score: number; metadata: Record<string, unknown> }[];
  sources: string;
  status: string;
  total: number;
  transfer_id: string;
  transfers: { id: string; status: string }[];
  truncated: boolean;
  unlisted: boolean;
  url: string;
  vector: number[];
  vectors: { id: number; metadata: Record<string, unknown> }[];
}

export async function bodyOf(response: Response | Promise<Response>): Promise<Answer> {
  return (await (await response).json()) as Answer;
}
