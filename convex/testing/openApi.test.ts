import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeEach, expect, it, vi } from "vitest";
import { openApiDocument } from "../../app/openapi/document.ts";
import { operations } from "../../app/openapi/operations.ts";
import http from "../http.ts";
import { addOrganization, type Backend, type Organization, startBackend } from "./backend.fixture.ts";

vi.mock(import("../../app/openapi/document.ts"), async (original) => {
  const { openApiDocument: make } = await original();
  return { openApiDocument: vi.fn(make) };
});

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
});

const methodsOf = (path: string): readonly string[] =>
  operations.filter((each) => each.path === path).map(({ method }) => method.toUpperCase());
const paths = [...new Set(operations.map(({ path }) => path))];

async function call(method: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await t.fetch(path.replace("{id}", "none"), {
    method,
    headers,
    ...(method === "POST" ? { body: "{" } : {}),
  });
  const text = await response.text();
  const { error } = (text.startsWith("{") ? JSON.parse(text) : {}) as { error?: { code?: string } };
  return { status: response.status, code: error?.code ?? null };
}

it("is served to everybody, also to a page of another origin", async () => {
  const response = await t.fetch("/v1/openapi.json");
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("content-type")).toBe("application/json");
});

it("is sent again only to readers who do not have it", async () => {
  const response = await t.fetch("/v1/openapi.json");
  const etag = response.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  const ask = async (known: string) =>
    await t.fetch("/v1/openapi.json", { headers: { "if-none-match": known } });
  for (const known of [etag, `"other", W/${etag}`, "*"]) {
    const unchanged = await ask(known);
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
    expect(unchanged.headers.get("etag")).toBe(etag);
  }
  expect(await (await ask('"other"')).text()).toBe(await response.text());
});

it("is made once for all readers", async () => {
  for (let reader = 0; reader < 3; reader++) await (await t.fetch("/v1/openapi.json")).text();
  expect(vi.mocked(openApiDocument).mock.calls.length).toBeLessThanOrEqual(1);
});

it("is a valid document of OpenAPI 3.1", async () => {
  const document: unknown = await (await t.fetch("/v1/openapi.json")).json();
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document as Parameters<typeof validator.validate>[0]);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

it("refers only to what it has", async () => {
  const document: unknown = await (await t.fetch("/v1/openapi.json")).json();
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, place = ""]) => place);
  expect(refs.length).toBeGreaterThan(100);
  for (const place of refs) {
    const found = place.split("/").reduce<unknown>((at, name) => Reflect.get(at as object, name), document);
    expect(found, place).toBeTypeOf("object");
  }
});

type Described = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedCall>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly in: string }>>;
  };
};
type DescribedCall = {
  readonly parameters?: readonly {
    readonly $ref?: string;
    readonly name?: string;
    readonly schema?: { readonly maximum?: number };
  }[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
};
type Content = { readonly schema: { readonly anyOf: readonly { readonly $ref?: string }[] } };

/** The last part of a reference, which is the name of what it refers to. */
const nameIn = ($ref = ""): string => $ref.split("/").at(-1) ?? "";

const described = async () => (await (await t.fetch("/v1/openapi.json")).json()) as Described;

it.each([
  [
    "post",
    "/v1/embeddings",
    ["Idempotency-Key", "Gleaner-Expires-In", "Gleaner-Requires", "Prefer", "Content-Encoding"],
  ],
  ["get", "/v1/jobs/{id}/result", ["Prefer"]],
  ["get", "/v1/responses/{id}", ["Prefer"]],
  ["get", "/v1/jobs/{id}/events", ["Last-Event-ID"]],
  ["get", "/v1/files/{id}/content", ["Range"]],
  ["post", "/v1/batches", ["Idempotency-Key", "Gleaner-Requires", "Content-Encoding"]],
  ["post", "/v1/files", ["Content-Encoding"]],
  ["post", "/v1/jobs/{id}/cancel", []],
] as const)("names the headers that %s %s reads", async (method, path, names) => {
  const { paths: calls, components } = await described();
  const headers = (calls[path]?.[method]?.parameters ?? []).flatMap(({ $ref }) => {
    const shown = components.parameters[nameIn($ref)];
    return shown?.in === "header" ? [shown.name] : [];
  });
  expect(headers).toEqual(names);
});

it.each(["/v1/jobs", "/v1/receipts", "/v1/batches", "/v1/files"])(
  "tells how long a page of %s may be",
  async (path) => {
    const { parameters } = (await described()).paths[path]!["get"]!;
    const most = parameters?.find(({ name }) => name === "limit")?.schema?.maximum ?? 0;
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const statusFor = async (limit: number) =>
      (await t.fetch(`${path}?limit=${String(limit)}`, { headers })).status;
    expect([await statusFor(most), await statusFor(most + 1)]).toEqual([200, 400]);
  },
);

it("describes the result of every call that asks for a job", async () => {
  const { paths: calls } = await described();
  const { anyOf = [] } =
    calls["/v1/jobs/{id}/result"]?.["get"]?.responses["200"]?.content["application/json"]?.schema ?? {};
  const wanted = operations.flatMap(({ asksForJob, answer }) => (asksForJob === true ? [answer] : []));
  expect(anyOf.map(({ $ref }) => nameIn($ref))).toEqual(expect.arrayContaining(wanted));
});

it.each([
  ["post", "/v1/chat/completions"],
  ["get", "/v1/responses/{id}"],
  ["get", "/v1/files/{id}/content"],
])("says that %s %s fails with 410 once the texts are deleted", async (method, path) => {
  expect(Object.keys((await described()).paths[path]?.[method]?.responses ?? {})).toContain("410");
});

/** Routes of the router, and the paths of the document that they serve. */
const routes = http
  .getRoutes()
  .filter(([path, method]) => path.startsWith("/v1/") && path !== "/v1/*" && method !== "OPTIONS");

it.each(routes.map(([path, method]) => [method, path]))("describes %s %s", (method, path) => {
  const served = path.endsWith("*")
    ? paths.filter((each) => each.startsWith(path.slice(0, -1)))
    : methodsOf(path).includes(method)
      ? [path]
      : [];
  const missing = `app/openapi/operations.ts needs a row for ${method} ${path}`;
  expect(served.length, missing).toBeGreaterThan(0);
});

it.each(operations.map(({ method, path }) => [method.toUpperCase(), path]))(
  "%s %s is served as described",
  async (method, path) => {
    const { open } = operations.find((each) => each.path === path) ?? {};
    expect((await call(method, path)).status).toBe(open === true ? 200 : 401);
    const { code } = await call(method, path, { authorization: `Bearer ${acme.apiKey}` });
    expect(code).not.toBe("unknown_url");
    expect(code).not.toBe("method_not_allowed");
  },
);

it.each(paths)("%s has no other method than those that are described", async (path) => {
  // One that ends with a word is also that of an object with this id.
  const described = [path, path.replace(/[^/]+$/, "{id}")].flatMap(methodsOf);
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    if (described.includes(method)) continue;
    const { status, code } = await call(method, path, { authorization: `Bearer ${acme.apiKey}` });
    expect([status, code]).toEqual([405, "method_not_allowed"]);
  }
});
