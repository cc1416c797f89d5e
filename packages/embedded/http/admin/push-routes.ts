import type { IncomingMessage } from "node:http";
import type { JSONValue } from "convex/values";
import * as z from "zod";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import { codeOf, pushRequest } from "../../deploys/push-request.ts";
import type { PushedCode } from "../../runtime/bundle/pushed-code.ts";
import type { RecordAct } from "../../system/admin-acts.ts";
import { parseWith } from "../../wire/describe-faults.ts";
import type { RequestSource, SourceOf } from "../../wire/request-source.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";
import { readPackedJson } from "../request-body.ts";

type Answer =
  { readonly kind: "ok"; readonly value: JSONValue } | { readonly kind: "refused"; readonly reason: string };

type PushRouteDeps = {
  readonly isAdminKey: AdminKeyCheck;
  readonly version: string;
  readonly pushes: {
    readonly start: (code: PushedCode) => Promise<Answer>;
    readonly evaluate: (code: PushedCode) => Promise<Answer>;
    readonly schemaStatus: (id: string) => JSONValue;
    readonly finish: (id: string, isDry: boolean) => Promise<Answer | null>;
  };
  readonly record: RecordAct;
  readonly sourceOf: SourceOf;
  /** The deployment's URLs. */
  readonly urls: () => { readonly convexCloudUrl: string; readonly convexSiteUrl: string };
};

const started = z.object({ schemaIds: z.object({ push: z.string().max(64) }) });
const waitRequest = z.object({ schemaChange: started });
const finishRequest = z.object({ dryRun: z.boolean(), startPush: z.object({ schemaChange: started }) });

type Respond = (deps: PushRouteDeps, body: JSONValue, source: RequestSource) => Promise<Reply>;

/** The requests of `npx convex dev`, `deploy`, `codegen` and `run --push`, in their order. */
const answers = new Map<string, Respond>([
  ["get_config_hashes", ({ version }) => Promise.resolve(jsonReply(presentConfig(version)))],
  ["deploy2/evaluate_schema", evaluateSchema],
  // The command asks this instead if it got no answer to the last one.
  ["deploy2/evaluate_push", startPush],
  ["deploy2/start_push", startPush],
  ["deploy2/wait_for_schema", waitForSchema],
  ["deploy2/finish_push", finishPush],
  ["deploy2/report_push_completed", () => Promise.resolve(jsonReply(null))],
]);

/** Other versions of the command may ask more. It would repeat a request that gets a 404 six times. */
const pushPath = /^(?:deploy2\/\w+|get_config(?:_hashes)?|push_config)$/;

function notServed(): Promise<Reply> {
  const message =
    "This backend does not serve this request of the convex command. It needs version 1.48 or newer.";
  return Promise.resolve(refusal(400, "NotSupported", message));
}

/** `POST /api/deploy2/…` and `get_config_hashes`: the convex command pushes functions. `GET /api/v1/get_canonical_urls`. */
export function pushRoutes(deps: PushRouteDeps): ApiRoute {
  return async (path, request) => {
    const isPush = request.method === "POST" && pushPath.test(path);
    const respond = isPush ? (answers.get(path) ?? notServed) : undefined;
    const asksUrls = request.method === "GET" && path === "v1/get_canonical_urls";
    if (respond === undefined && !asksUrls) return null;
    const refused = adminRefusal(request, deps.isAdminKey);
    if (refused !== null) return refused;
    return respond === undefined ? jsonReply(deps.urls()) : answer(deps, request, respond);
  };
}

async function answer(deps: PushRouteDeps, request: IncomingMessage, respond: Respond): Promise<Reply> {
  const source = deps.sourceOf(request);
  const body = await readPackedJson(request);
  return body.kind === "refused" ? body.reply : respond(deps, body.value, source);
}

/** Without hashes of modules the command sends all of them. */
function presentConfig(version: string): JSONValue {
  return {
    config: { functions: "convex/" },
    moduleHashes: [],
    nodeDependencies: [],
    udfServerVersion: version,
  };
}

async function startPush({ pushes }: PushRouteDeps, body: JSONValue): Promise<Reply> {
  const parsed = parseWith(pushRequest, body);
  if (parsed.kind === "invalid") return refusal(400, "InvalidPush", parsed.reason);
  return replyTo(await pushes.start(codeOf(parsed.value)));
}

async function evaluateSchema({ pushes }: PushRouteDeps, body: JSONValue): Promise<Reply> {
  const parsed = parseWith(pushRequest, body);
  if (parsed.kind === "invalid") return refusal(400, "InvalidPush", parsed.reason);
  return replyTo(await pushes.evaluate(codeOf(parsed.value)));
}

function waitForSchema({ pushes }: PushRouteDeps, body: JSONValue): Promise<Reply> {
  const parsed = parseWith(waitRequest, body);
  if (parsed.kind === "invalid") return Promise.resolve(refusal(400, "InvalidPush", parsed.reason));
  return Promise.resolve(jsonReply(pushes.schemaStatus(parsed.value.schemaChange.schemaIds.push)));
}

async function finishPush(
  { pushes, record }: PushRouteDeps,
  body: JSONValue,
  source: RequestSource,
): Promise<Reply> {
  const parsed = parseWith(finishRequest, body);
  if (parsed.kind === "invalid") return refusal(400, "InvalidPush", parsed.reason);
  const { dryRun, startPush: push } = parsed.value;
  const finished = await pushes.finish(push.schemaChange.schemaIds.push, dryRun);
  if (finished?.kind === "ok" && !dryRun) await record({ kind: "push", names: [] }, source);
  if (finished !== null) return replyTo(finished);
  return refusal(
    409,
    "RaceDetected",
    "Another push has finished meanwhile, or a variable has changed. Push again.",
  );
}

function replyTo(answered: Answer): Reply {
  if (answered.kind === "ok") return jsonReply(answered.value);
  return refusal(400, "InvalidModules", `Hit an error while pushing:\n${answered.reason}`);
}
