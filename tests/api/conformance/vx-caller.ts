/** How the conformance suite speaks to the host's index. Called by the parts of the suite that are about the index. */
import { beforeEach, describe, expect } from "vitest";
import { type Answer, bodyOf, type Caller, vxError } from "./caller.ts";

export type VxCaller = ReturnType<typeof createVxCaller>;

export interface Record {
  id: number;
  vector: number[];
  metadata?: object;
}

export function createVxCaller(caller: Caller) {
  const { host, call, post, documented, documentedRequest, refused } = caller;

  /** A vector of the host's dimension that begins with these numbers; the rest are 0. */
  function vector(...numbers: number[]): number[] {
    const { vxDimension } = host();
    return Array.from({ length: vxDimension }, (_, at) => numbers[at] ?? 0);
  }

  /** The body of a POST that must succeed, and so must be as the document has it. */
  async function told(path: string, body: unknown): Promise<Answer> {
    expect(documentedRequest(`POST ${path}`, body), JSON.stringify(body)).toEqual([]);
    const answer = await documented(`POST ${path}`, post(path, body));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  }

  /** Ids of a search's results, in order. */
  async function found(path: string, body: unknown): Promise<number[]> {
    return (await told(path, body)).results.map(({ id }) => id);
  }

  const add = (...vectors: Record[]) => told("/vectors/batch", { vectors });

  /** Whether the document has a body of a POST. */
  const isDocumented = (path: string, body: unknown) => documentedRequest(`POST ${path}`, body).length === 0;

  /** A POST that must be refused with the code, in a body as the document has it. */
  async function refuses(path: string, body: unknown, status: number, code: string): Promise<string> {
    const answer = await documented(`POST ${path}`, post(path, body));
    expect({ status: answer.status, body: answer.body as unknown }).toMatchObject(vxError(status, code));
    return (answer.body as unknown as { error: { message: string } }).error.message;
  }

  async function empty(): Promise<void> {
    for (;;) {
      const { vectors } = await bodyOf(call("/vectors?limit=1000"));
      if (vectors.length === 0) return;
      for (const { id } of vectors) await call(`/vectors/${id}`, { method: "DELETE" });
    }
  }

  /** Tests of the index, which is empty before each. */
  function describeIndex(title: string, tests: () => void): void {
    describe(title, () => {
      beforeEach(empty);
      tests();
    });
  }

  return {
    host,
    call,
    documented,
    isDocumented,
    refused,
    vector,
    told,
    found,
    add,
    refuses,
    describeIndex,
  };
}
