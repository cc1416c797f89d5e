import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRecord } from "../../app/json.ts";
import type { AnswerName } from "../../app/openapi/answers/answers.ts";
import { bodies, smallestOf } from "../../app/openapi/bodies.ts";
import { operations } from "../../app/openapi/operations.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/** Holds real answers, of a backend and a donor with the demo model, to the document that the backend serves. */
let farm: Farm;
let ajv: Ajv2020;
/** Ids for the addresses of the document, by the beginning of the path. */
const ids = new Map<string, string>();

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("documented-answers");
  const document = (await (await fetch(`${farm.backend.siteUrl}/v1/openapi.json`)).json()) as object;
  ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(
    closed(document) as object,
    "document",
  );
});
afterAll(async () => {
  await farm.close();
});

/** The document without room for fields that it does not name, so that an answer with one more does not fit. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isRecord(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  return "properties" in copy ? { additionalProperties: false, ...copy } : copy;
}

async function call(
  method: string,
  path: string,
  body?: string | FormData,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await fetch(`${farm.backend.siteUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${farm.organization.apiKey}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

function expectToFit(name: AnswerName, value: unknown): void {
  const fits = ajv.getSchema(`document#/components/schemas/${name}`);
  if (fits === undefined) throw new Error(`The document has no ${name}.`);
  const isFitting = fits(value) as boolean;
  expect(isFitting, `${JSON.stringify(fits.errors)} in ${JSON.stringify(value).slice(0, 1_000)}`).toBe(true);
}

/** So many that the batch still runs when its cancel is called. */
const lines = Array.from({ length: 400 }, (_, at) =>
  JSON.stringify({
    custom_id: `q${at}`,
    method: "POST",
    url: "/v1/embeddings",
    body: { model: "gleaner-demo", input: `${at} + 5` },
  }),
).join("\n");

/** A request of each body that the document has. */
function bodyFor(name: (typeof operations)[number]["body"]): string | FormData {
  if (name === "FileForm" || name === "PartForm") {
    const form = new FormData();
    if (name === "FileForm") form.set("purpose", "batch");
    form.set(name === "FileForm" ? "file" : "data", new Blob([lines]), "prompts.jsonl");
    return form;
  }
  if (name === undefined) return "";
  const own: Readonly<Record<string, object>> = {
    BatchRequest: { input_file_id: ids.get("/v1/files/"), endpoint: "/v1/embeddings" },
    BatchEstimateRequest: { input_file_id: ids.get("/v1/files/"), endpoint: "/v1/embeddings" },
    UploadRequest: { bytes: lines.length },
    UploadCompletionRequest: { part_ids: [ids.get("part")] },
  };
  const { body } = bodies[name];
  const model = "model" in body.fields ? { model: farm.modelId } : {};
  return JSON.stringify({ ...model, ...smallestOf(body), ...own[name] });
}

/** Calls that make what others ask for come first. Each is the answer's way to its id. */
const order = [
  "post /v1/files",
  "post /v1/batches",
  "post /v1/batches/{id}/cancel",
  "post /v1/uploads",
  "post /v1/uploads/{id}/parts",
  "post /v1/uploads/{id}/complete",
  "post /v1/responses",
];
const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
/** Calls that need another state of their object than it has by then. The tests of their folders hold them. */
const elsewhere = [
  "post /v1/uploads/{id}/cancel",
  "post /v1/responses/{id}/cancel",
  "post /v1/jobs/{id}/cancel",
  "post /v1/jobs/{id}/priority",
  "post /v1/jobs/{id}/rating",
  "get /v1/jobs/{id}/rating",
  "delete /v1/jobs/{id}/rating",
  "delete /v1/files/{id}",
];

const calls = operations
  .map((operation) => ({ ...operation, key: `${operation.method} ${operation.path}` }))
  .filter(({ key, answer }) => !elsewhere.includes(key) && answer !== "events" && answer !== "lines")
  .toSorted((one, other) => rank(one.key) - rank(other.key));

test.each(calls)("$key answers as the document says", async ({ method, path, body, answer, asksForJob }) => {
  const [beginning = ""] = /^\/v1\/\w+\//.exec(path) ?? [];
  const id = ids.get(beginning);
  if (path.includes("{id}") && id === undefined) throw new Error(`no call made an id for ${path}`);
  const address = path.replace("{id}", id ?? "");
  const response = await call(method.toUpperCase(), address, body === undefined ? undefined : bodyFor(body));
  const value = (await response.json()) as { readonly id?: string };
  expect([response.status, value]).toEqual([200, value]);
  if (answer !== "result" && answer !== "document" && answer !== "events" && answer !== "lines")
    expectToFit(answer, value);
  if (method === "post" && value.id !== undefined)
    ids.set(answer === "UploadPart" ? "part" : `${path}/`, value.id);
  if (asksForJob === true) ids.set("/v1/jobs/", response.headers.get("x-gleaner-job") ?? "");
  if (path === "/v1/models") ids.set("/v1/models/", farm.modelId);
});

test("the answers of calls that do not wait are as the document says", async () => {
  for (const { path, body, asksForJob, answer } of operations) {
    if (asksForJob !== true) continue;
    const response = await call("POST", path, bodyFor(body), { prefer: "respond-async" });
    const value: unknown = await response.json();
    expectToFit(answer === "Response" ? "Response" : "Job", value);
    // A response that has ended by then is an answer, and has no address.
    if (answer === "Response" && response.status === 200) continue;
    expect([path, response.status, value]).toEqual([path, 202, value]);
    const location = response.headers.get("location") ?? "";
    const kept = await call("GET", location);
    expect([path, kept.status]).toEqual([path, 200]);
    if (answer === "Response" || answer === "events" || answer === "lines") continue;
    if (answer === "result" || answer === "document") continue;
    const result = await call("GET", `${location}/result`, undefined, { prefer: "wait=60" });
    expectToFit(answer, await result.json());
  }
});

test("the events of streams are as the document says", async () => {
  for (const { path, body, events } of operations) {
    if (events === undefined || events === "named" || body === undefined) continue;
    const asked = JSON.parse(bodyFor(body) as string) as object;
    const response = await call("POST", path, JSON.stringify({ ...asked, stream: true }));
    const chunks = [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => data);
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) expectToFit(events, JSON.parse(chunk));
  }
});

test("errors are as the document says, in both forms", async () => {
  const wrong = await call("POST", "/v1/chat/completions", '{"mesages": []}');
  const error: unknown = await wrong.json();
  expectToFit("Error", error);
  expect(error).toMatchObject({ error: { code: "unknown_parameter", param: "mesages" } });
  for (const body of ["{}", JSON.stringify({ ...smallestOf(bodies.MessageRequest.body), thread: {} })])
    expectToFit("MessageError", await (await call("POST", "/v1/messages", body)).json());
});
