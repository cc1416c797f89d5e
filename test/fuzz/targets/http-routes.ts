import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import * as z from "zod";
import { wellFormed } from "../../../app/format/well-formed.ts";
import { operations } from "../../../app/openapi/operations.ts";
import { costlyBodies } from "../../../bench/abuse/costly-bodies.ts";
import { residentBytes } from "../../../bench/support/resident-memory.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { checkHealth, checkLedger } from "../backend.ts";
import { bodiesFor } from "../bodies.ts";
import { checkNoSource } from "../converse.ts";
import { hostileJson, hostileText } from "../hostile.ts";
import { addMuteDevice } from "../mute-device.ts";
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

/** How often a call without an answer is looked at: it may wait for its job, since the device takes none. */
const lookEveryMs = 150;
const keyCount = 40;
/** The backend may keep so much more memory than before the inputs, in MiB. */
const mostGrowthMb = 300;

/**
 * Every HTTP route. The backend must answer each call in the API's own form, and never with an internal error. Only a call whose job
 * waits for a device may be without an answer. After its client has left, the job must end.
 */
export const httpRoutes: Target = {
  name: "http-routes",
  summary: "every HTTP route of the backend",
  open: async (farmOf) => {
    const farm = await farmOf();
    await addMuteDevice(farm);
    const keys = await issueKeys(farm);
    const left: LeftJob[] = [];
    let usedMb: number | null = null;
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
        const waiting = await within(
          JSON.stringify(input).slice(0, 300),
          checkCall(farm, call.parse(input), key, await idsOf(farm, key)),
        );
        if (waiting !== null) left.push(waiting);
        await checkHealth(farm);
        // The first calls load what a backend needs.
        if (calls === 200) usedMb = await memoryMb(farm);
      },
      checkEnd: async () => {
        await checkLedger(farm);
        await checkEnded(farm, left);
        const grownMb = usedMb === null ? 0 : (await memoryMb(farm)) - usedMb;
        if (grownMb > mostGrowthMb) throw new Error(`the backend keeps ${grownMb.toFixed(0)} MiB more`);
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
    "/v1/jobs/jobs_x/result?encoding_format=base64",
    "/v1/jobs/jobs_x/events",
    "/v1/jobs/jobs_x/rating",
    "/v1/responses/resp_jobs_x",
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

/** A job that waited when its client left. */
type LeftJob = { readonly jobId: string; readonly key: string };

/**
 * Returns the job for which the call waited until it was given up; null if it was answered.
 * @param before the last jobs of the key. Earlier calls made them, and an equal call may wait for one of them, too.
 */
async function checkCall(
  farm: Farm,
  { at, method, path: where, headers, body }: Call,
  key: string,
  before: ReadonlySet<string>,
): Promise<LeftJob | null> {
  const origin = at === "site" ? farm.backend.siteUrl : farm.backend.url;
  const address = `${origin}${where}`;
  const isPlain = method === "GET" || method === "HEAD";
  if (!URL.canParse(address) || new URL(address).origin !== origin) return null;
  const sent = sendable([
    ["content-type", "application/json"],
    ["authorization", `Bearer ${key}`],
    ...headers,
  ]);
  const leave = new AbortController();
  const answer = answerOf(address, {
    method,
    headers: sent,
    ...(body === null || isPlain ? {} : { body }),
    redirect: "manual",
    signal: leave.signal,
  });
  const waiting = await waitsFor(farm, key, before, answer);
  if (waiting !== null) {
    leave.abort();
    await answer;
    const isKept = sent.has("idempotency-key") || /respond-async/i.test(sent.get("prefer") ?? "");
    return isKept || before.has(waiting) ? null : { jobId: waiting, key };
  }
  const found = await answer;
  // A refused upload may end the connection before all of it was sent.
  if (found === "unsendable" || (found === null && body !== null)) return null;
  if (found === null) throw new Error("the connection ended without an answer");
  checkAnswer({ at, method, address }, found);
  return null;
}

/** Null: the connection ended before the whole answer. `unsendable`: the client itself refuses the call. */
async function answerOf(
  address: string,
  init: RequestInit,
): Promise<{ readonly status: number; readonly text: string } | "unsendable" | null> {
  try {
    const response = await fetch(address, init);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    if (unsendable.includes(cause?.code ?? "")) return "unsendable";
    const isEnded = error instanceof TypeError && /terminated|fetch failed/.test(error.message);
    if (isEnded || init.signal?.aborted === true) return null;
    throw error;
  }
}

/** Errors of undici, which sends nothing then. */
const unsendable = ["UND_ERR_NOT_SUPPORTED", "UND_ERR_INVALID_ARG"];

/** A call that has no job of its own by then waits for one that was there before. */
const joinedAfterMs = 3_000;

/** The job of a call that waits for it, as soon as it is queued. Null: the call was answered. */
async function waitsFor(
  farm: Farm,
  key: string,
  before: ReadonlySet<string>,
  answer: Promise<unknown>,
): Promise<string | null> {
  const look = Symbol();
  const joinedFrom = Date.now() + joinedAfterMs;
  for (;;) {
    const first = await Promise.race([answer, sleep(lookEveryMs, look)]);
    if (first !== look) return null;
    const queued = (await jobsOf(farm, key)).filter(({ status }) => status === "queued");
    const own = queued.find(({ id }) => !before.has(id));
    if (own !== undefined) return own.id;
    if (queued[0] !== undefined && Date.now() > joinedFrom) return queued[0].id;
  }
}

const job = z.object({ id: z.string(), status: z.string() });

async function idsOf(farm: Farm, key: string): Promise<ReadonlySet<string>> {
  return new Set((await jobsOf(farm, key)).map(({ id }) => id));
}

/** The last jobs of a key. None while it may make no more calls. */
async function jobsOf(farm: Farm, key: string): Promise<readonly z.infer<typeof job>[]> {
  const response = await fetch(`${farm.backend.siteUrl}/v1/jobs?limit=20`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (response.status === 429) return [];
  return z.object({ data: z.array(job) }).parse(await response.json()).data;
}

/** Codes of 503 that docs/api.md has, and those of the backend's own endpoints. */
const unavailable = ["no_device", "no_capacity", "model_draining", "server_stopping"];

function checkAnswer(
  { at, method, address }: { readonly at: Call["at"]; readonly method: string; readonly address: string },
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const isDocumented = status === 503 && (at !== "site" || unavailable.some((code) => text.includes(code)));
  if (status >= 500 && !isDocumented) throw new Error(`answered ${status}: ${text.slice(0, 500)}`);
  checkNoSource(text);
  if (at !== "site" || status < 400 || method === "HEAD" || text === "") return;
  for (const [prefix, form] of errorForms) {
    if (new URL(address).pathname.startsWith(prefix) && !form.safeParse(JSON.parse(text)).success)
      throw new Error(`no error in the form of ${prefix}: ${text}`);
  }
}

/** Throws if a job is still open, although nobody waits for it. */
async function checkEnded(farm: Farm, left: readonly LeftJob[]): Promise<void> {
  const until = Date.now() + endedWithinMs;
  for (const { jobId, key } of left) {
    for (;;) {
      const response = await fetch(`${farm.backend.siteUrl}/v1/jobs/${jobId}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      if (response.status === 429) {
        await sleep(1_000);
        continue;
      }
      const { status } = job.parse(await response.json());
      if (status !== "queued" && status !== "running") break;
      if (Date.now() > until) throw new Error(`the job ${jobId} is ${status}, and nobody waits for it`);
      await sleep(500);
    }
  }
}

/** The job of a whole call stays for some seconds, in which the client may ask again. */
const endedWithinMs = 120_000;

/** The memory of the backend's process once nothing runs, in MiB. */
async function memoryMb({ backend }: Farm): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < 10; look += 1) {
    await sleep(500);
    least = Math.min(least, residentBytes(backend.child.pid) / 2 ** 20);
  }
  return least;
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
