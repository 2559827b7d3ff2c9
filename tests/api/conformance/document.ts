/** The OpenAPI document that the host serves. Part of the conformance suite. */
import { describe, expect, it } from "vitest";
import type { Caller } from "./caller.ts";
import { examplesOf, type OpenApiDocument } from "./documented.ts";

export function describeDocument({ document, documented, documentedRequest }: Caller): void {
  describe("the document", () => {
    it("is OpenAPI 3.1 and names every route of the node and their refusals", () => {
      expect(document().openapi).toMatch(/^3\.1\./);
      expect(Object.keys(document().paths)).toEqual(
        expect.arrayContaining([
          "/health",
          "/api/v1/node/info",
          "/api/v1/files/share",
          "/api/v1/transfers/{transfer_id}/cancel",
          "/api/v1/events",
        ]),
      );
      for (const [path, methods] of Object.entries(document().paths)) {
        for (const operation of Object.values(methods)) {
          expect(Object.keys(operation.responses), path).toEqual(expect.arrayContaining(["403", "500"]));
          const isOpen = operation.security?.length === 0;
          expect("401" in operation.responses, path).toBe(!isOpen);
        }
      }
    });

    it("lists each operation in one group, which says what it is for, and no group without any", () => {
      const { paths, tags } = document();
      const used = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.tags));
      expect(used.filter((names) => names.length !== 1)).toEqual([]);
      expect(new Set(used.flat())).toEqual(new Set(tags.map(({ name }) => name)));
      expect(tags.filter(({ description }) => description === "")).toEqual([]);
    });

    it("names each operation once, as generated clients call it", () => {
      const names = Object.values(document().paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId),
      );
      expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)*$/.test(name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    });

    it("says of each route that takes a query that it may be malformed", () => {
      for (const [path, methods] of Object.entries(document().paths)) {
        for (const { parameters = [], responses } of Object.values(methods)) {
          if (parameters.some((one) => one.in === "query")) expect(responses, path).toHaveProperty("400");
        }
      }
    });

    it("names the headers that requests may carry", () => {
      const headersOf = (method: string, path: string) =>
        (document().paths[path]?.[method]?.parameters ?? [])
          .filter((one) => one.in === "header")
          .map(({ name }) => name);
      const ofContent = ["Range", "If-Range", "If-Match", "If-None-Match"];
      expect(headersOf("get", "/api/v1/files/{file_id}/content")).toEqual(ofContent);
      expect(headersOf("get", "/api/v1/stream/{ticket}")).toEqual(ofContent);
      expect(headersOf("get", "/api/v1/events")).toEqual(["Last-Event-ID"]);
      expect(headersOf("post", "/api/v1/files")).toEqual(["Content-Disposition"]);
    });

    it("takes no parameter for one that may be null", () => {
      for (const [path, methods] of Object.entries(document().paths)) {
        for (const { parameters = [] } of Object.values(methods)) {
          for (const { schema } of parameters) expect(schema.type, path).toEqual(expect.any(String));
        }
      }
    });

    it("says of each route but reads how it refuses a body, and of a body that may be `{}` that it may be left out", () => {
      const optional: string[] = [];
      for (const [path, methods] of Object.entries(document().paths)) {
        for (const [method, { requestBody, responses }] of Object.entries(methods)) {
          if (method === "get") continue;
          expect(Object.keys(responses), `${method} ${path}`).toEqual(expect.arrayContaining(["400", "415"]));
          if (requestBody?.required === false) optional.push(`${method} ${path}`);
        }
      }
      const mayBeEmpty = [
        "post /api/v1/folders/{file_id}/download",
        "patch /api/v1/settings",
        "post /admin/backup",
      ];
      expect(optional).toEqual(expect.arrayContaining(mayBeEmpty));
      expect(optional).not.toContain("post /api/v1/files/share");
      expect(optional).not.toContain("post /search");
    });

    it("has an example of each JSON body, which its schema takes", () => {
      for (const [path, methods] of Object.entries(document().paths)) {
        for (const [method, { requestBody }] of Object.entries(methods)) {
          const json = requestBody?.content["application/json"];
          if (json === undefined) continue;
          const route = `${method} ${path}`;
          expect(json.example, route).toBeDefined();
          expect(documentedRequest(route, json.example), route).toEqual([]);
        }
      }
    });

    it("has an example of each refusal, by the code that tells it from others of its status", async () => {
      const named = new Set<string>();
      for (const { route, status, examples } of documentedRefusals(document())) {
        expect(examples, `${route} ${status}`).not.toEqual([]);
        // Names are to choose by.
        expect(
          examples.every(({ name }) => (name === undefined) === (examples.length === 1)),
          route,
        ).toBe(true);
        for (const { name, value } of examples) {
          await documented(route, Response.json(value, { status }));
          if (value.error === true) {
            expect(value, route).toMatchObject({ code: status });
            continue;
          }
          expect(value.error.code, route).toBe(name ?? value.error.code);
          named.add(value.error.code);
        }
      }
      expect([...named]).toEqual(
        expect.arrayContaining(["capacity_exceeded", "backup_not_found", "conflict"]),
      );
    });

    it("says which index takes the vectors of its examples, for that of no settings takes longer ones", () => {
      const { info, paths } = document();
      const added = paths["/vectors"]?.post?.requestBody?.content["application/json"]?.example;
      const { vector } = added as { vector: number[] };
      expect(info.description).toContain(`\`--vx-dimension ${vector.length}\``);
    });

    it("says that a resumed download may be refused for its output, as a new one", () => {
      const { paths } = document();
      const begun = paths["/api/v1/transfers/download"]?.post?.responses ?? {};
      expect(Object.keys(paths["/api/v1/transfers/resume/{file_id}"]?.post?.responses ?? {})).toEqual(
        expect.arrayContaining(Object.keys(begun)),
      );
    });
  });
}

function documentedRefusals({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .map(([status, told]) => ({
          route: `${method} ${path}`,
          status: Number(status),
          examples: examplesOf(told),
        }))
        // An index that loads tells so on /health, which is no refusal.
        .filter(({ route, status }) => status >= 400 && !(route === "get /health" && status === 503)),
    ),
  );
}
