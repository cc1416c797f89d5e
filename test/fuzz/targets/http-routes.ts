import fc from "fast-check";
import * as z from "zod";
import { wellFormed } from "../../../app/format/well-formed.ts";
import { operations } from "../../../app/openapi/operations.ts";
import { costlyBodies } from "../../../bench/abuse/costly-bodies.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { checkHealth, checkLedger } from "../backend.ts";
import { bodiesFor } from "../bodies.ts";
import { checkNoSource } from "../converse.ts";
import { hostileJson, hostileText } from "../hostile.ts";
import { tableBodies } from "../table-bodies.ts";
import type { Json, Target } from "../target.ts";
import { within } from "../within.ts";

const call = z.object({
  /** Of the site, with the HTTP API, or of the deployment. */
  at: z.enum(["site", "deployment"]),
  method: z.string(),
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string().nullable(),
});
type Call = z.infer<typeof call>;

/** A call that is accepted waits for a device, and there is none. */
const patienceMs = 150;
const keyCount = 40;

/** Every HTTP route. The backend must answer each call in the API's own form, and never with an internal error. */
export const httpRoutes: Target = {
  name: "http-routes",
  summary: "every HTTP route of the backend",
  open: async (farmOf) => {
    const farm = await farmOf();
    const keys = await issueKeys(farm);
    const bodies = bodiesFor(farm.modelId);
    let calls = 0;
    return {
      inputs: fc.oneof(
        { weight: 4, arbitrary: apiCall(bodies) },
        { weight: 4, arbitrary: describedCall },
        { weight: 2, arbitrary: anyCall },
        { weight: 1, arbitrary: functionCall },
      ),
      known: costlyBodies(farm.modelId).map(({ body }): Json =>
        callTo("/v1/chat/completions", JSON.stringify(body)),
      ),
      check: async (input) => {
        // Many keys, because one key may make only so many calls a minute.
        const key = keys[calls++ % keys.length] ?? "";
        await within(JSON.stringify(input).slice(0, 300), checkCall(farm, call.parse(input), key));
        await checkHealth(farm);
      },
      checkEnd: async () => {
        await checkLedger(farm);
      },
      close: () => Promise.resolve(),
    };
  },
};

async function issueKeys(farm: Farm): Promise<readonly string[]> {
  const keys: string[] = [];
  // One after the other: each changes the organization's totals.
  for (let index = 0; index < keyCount; index++) {
    keys.push(await farm.setup.issueKey(farm.organization.organizationId, `fuzz ${index}`));
  }
  return keys;
}

function callTo(path: string, body: string): Call {
  return { at: "site", method: "POST", path, headers: [], body };
}

/** Most calls wait for their answers. */
const preference = fc.constantFrom<Call["headers"]>(
  [],
  [],
  [],
  [["prefer", "respond-async"]],
  [["prefer", "respond-async, wait=1"]],
  [["prefer", "wait=1"]],
);

function apiCall(bodies: ReturnType<typeof bodiesFor>): fc.Arbitrary<Json> {
  const routes = Object.entries(bodies).map(([path, body]) =>
    fc
      .tuple(body, preference)
      .map(([each, headers]): Json => ({ ...callTo(path, JSON.stringify(each)), headers })),
  );
  return fc.oneof(...routes);
}

const headerName = fc.constantFrom(
  "content-type",
  "content-encoding",
  "authorization",
  "x-forwarded-for",
  "origin",
  "range",
  "expect",
  "convex-client",
  "prefer",
  "last-event-id",
  "idempotency-key",
);
const path = fc.oneof(
  fc.constantFrom(
    ...operations.map(({ path: each }) => each.replace("{id}", "x")),
    "/v1/files?limit=2&after=file-x",
    "/api/tags",
    "/api/version",
    "/api/ps",
    "/api/pull",
    "/api/delete",
    "/api/embeddings",
    "/v1/batches?limit=2&after=batch_x",
    "/v1/jobs?limit=2&after=x",
    "/v1/jobs/x/result?encoding_format=base64",
    "/auth/callback?state=x&code=x",
    "/alerts/end?token=x",
    "/config",
    "/console/",
    "/console/../../etc/passwd",
    "/api/query",
    "/api/mutation",
    "/api/action",
    "/api/storage/upload?token=x",
    "/api/storage/x",
    "/api/sync",
    "/api/export/start",
    "/metrics",
    "/ready",
    "/version",
  ),
  hostileText.map((text) => `/v1/${text}`),
  hostileText.map((text) => `/api/${text}`),
  hostileText.map((text) => `/v1/jobs/${text}`),
  hostileText.map((text) => `/v1/responses/${text}`),
  hostileText.map((text) => `/v1/files/${text}`),
  hostileText.map((text) => `/v1/batches/${text}`),
  hostileText.map((text) => `/${text}`),
);

/** Ids that are not there, and text that is none. */
const id = fc.oneof(fc.constantFrom("x", "resp_x", "file-x", "batch_x", "upload_x"), hostileText);

/** The form of a file, of which any part may be wrong. */
const form = fc
  .tuple(fc.constantFrom("file", "data", "purpose", "purpos"), hostileText, fc.boolean())
  .map(([name, text, isWhole]) => {
    const head = `--b\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n`;
    return `${head}${text}${isWhole ? "\r\n--b--\r\n" : ""}`;
  });

/** Every call that the API's own description has, with any id, parameters and a body that is nearly valid. */
const describedCall: fc.Arbitrary<Json> = fc.oneof(
  ...operations.map(({ method, path: template, body, query = [] }): fc.Arbitrary<Json> => {
    const isForm = body === "FileForm" || body === "PartForm";
    const content: fc.Arbitrary<string | null> =
      body === undefined
        ? fc.constant(null)
        : isForm
          ? form
          : fc.oneof(
              tableBodies[body].map((value) => JSON.stringify(value)),
              hostileText,
            );
    const parameters = fc.array(fc.tuple(fc.constantFrom("limit", "after", ...query), hostileText), {
      maxLength: query.length,
    });
    return fc.tuple(id, parameters, content, preference).map(([own, asked, text, headers]): Json => {
      const search =
        asked.length === 0 ? "" : `?${new URLSearchParams(asked.map(([...pair]) => pair)).toString()}`;
      return {
        at: "site",
        method: method.toUpperCase(),
        path: `${template.replace("{id}", () => encodeURIComponent(wellFormed(own)))}${search}`,
        headers: isForm ? [["content-type", "multipart/form-data; boundary=b"]] : headers,
        body: text,
      };
    });
  }),
);

const anyCall: fc.Arbitrary<Json> = fc.record({
  at: fc.constantFrom("site", "deployment"),
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"),
  path,
  headers: fc.array(fc.tuple(headerName, hostileText), { maxLength: 3 }),
  body: fc.oneof(
    fc.constant(null),
    hostileText,
    hostileJson.map((value) => JSON.stringify(value)),
  ),
});

const functionCall: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom("query", "mutation", "action", "function", "query_ts"), hostileJson, hostileText)
  .map(([kind, args, name]): Json => ({
    at: "deployment",
    method: "POST",
    path: `/api/${kind}`,
    headers: [["content-type", "application/json"]],
    body: JSON.stringify({ path: name, args, format: "convex_encoded_json" }),
  }));

async function checkCall(
  farm: Farm,
  { at, method, path: where, headers, body }: Call,
  key: string,
): Promise<void> {
  const origin = at === "site" ? farm.backend.siteUrl : farm.backend.url;
  const address = `${origin}${where}`;
  const isPlain = method === "GET" || method === "HEAD";
  if (!URL.canParse(address) || new URL(address).origin !== origin) return;
  const sent = sendable([
    ["content-type", "application/json"],
    ["authorization", `Bearer ${key}`],
    ...headers,
  ]);
  const gone = AbortSignal.timeout(patienceMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, {
      method,
      headers: sent,
      ...(body === null || isPlain ? {} : { body }),
      redirect: "manual",
      signal: gone,
    });
    text = await response.text();
  } catch (error) {
    if (gone.aborted) return;
    // A refused upload may end the connection before all of it was sent.
    if (error instanceof TypeError && /terminated|fetch failed/.test(error.message)) return;
    throw error;
  }
  if (response.status >= 500 && response.status !== 503) {
    throw new Error(`answered ${response.status}: ${text.slice(0, 500)}`);
  }
  checkNoSource(text);
  if (at !== "site" || response.status < 400 || method === "HEAD" || text === "") return;
  for (const [prefix, form] of errorForms) {
    if (new URL(address).pathname.startsWith(prefix) && !form.safeParse(JSON.parse(text)).success)
      throw new Error(`no error in the form of ${prefix}: ${text}`);
  }
}

const errorForms = [
  ["/v1/", z.object({ error: z.object({ message: z.string().min(1), type: z.string() }) })],
  ["/api/", z.object({ error: z.string().min(1) })],
] as const;

function sendable(headers: readonly (readonly [string, string])[]): Headers {
  const kept = new Headers();
  for (const [name, value] of headers) {
    try {
      kept.set(name, value);
    } catch {
      // No HTTP client can send this value.
    }
  }
  return kept;
}
