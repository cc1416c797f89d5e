import type { IncomingMessage } from "node:http";
import type { Engine } from "../engine/types.ts";
import type { Completed, FunctionCall, FunctionRunner } from "../runtime/types.ts";
import { encodeTimestamp } from "../sync/timestamps.ts";
import type { AdminKeyCheck } from "./admin-key.ts";
import { authorize } from "./authorization.ts";
import { environmentChanges, type EnvironmentVariables } from "./environment-variables.ts";
import { functionPathOfUrl, parseFunctionRequest, type FunctionRequest } from "./function-request.ts";
import { completedReply, jsonReply, refusal, type Reply } from "./reply.ts";
import { parseBody, readBody } from "./request-body.ts";

/** Bytes of a function call's body: Convex's limit on arguments, encoded, with the envelope. */
export const MAX_CALL_BYTES = 16 * 1024 * 1024;
/** How far back `query_at_ts` reaches, in ns: Convex promises 30 seconds. */
const OLDEST_QUERY_NS = 30_000_000_000n;

export type FunctionRouteDeps = {
  readonly engine: Engine;
  readonly runner: FunctionRunner;
  readonly environment: EnvironmentVariables;
  readonly isAdminKey: AdminKeyCheck;
  readonly nextRequestId: () => string;
};

type Run = (
  deps: FunctionRouteDeps,
  call: FunctionCall,
  request: FunctionRequest,
) => Promise<Completed | Reply>;

const RUNS = new Map<string, Run>([
  ["query", ({ runner }, call) => runner.runQuery(call)],
  ["query_at_ts", runQueryAt],
  ["mutation", ({ runner }, call) => runner.runMutation(call)],
  ["action", ({ runner }, call) => runner.runAction(call)],
  ["function", ({ runner }, call) => runner.runAny(call)],
]);

/** Answers `POST /api/{route}`; null when there is no such route. */
export async function functionRoute(
  deps: FunctionRouteDeps,
  route: string,
  request: IncomingMessage,
): Promise<Reply | null> {
  if (route === "query_ts") return jsonReply({ ts: encodeTimestamp(deps.engine.durable()) });
  if (route === "update_environment_variables") return updateEnvironment(deps, request);
  const run = RUNS.get(route);
  if (run !== undefined) return callFunction(deps, run, request, undefined);
  if (!route.startsWith("run/")) return null;
  const path = functionPathOfUrl(route.slice("run/".length));
  if (path === null) return refusal(400, "InvalidFunctionPath", "Expected /api/run/{module}/{function}.");
  return callFunction(deps, ({ runner }, call) => runner.runAny(call), request, path);
}

async function callFunction(
  deps: FunctionRouteDeps,
  run: Run,
  incoming: IncomingMessage,
  pathFromUrl: string | undefined,
): Promise<Reply> {
  const authorized = authorize(incoming.headers.authorization, deps.isAdminKey);
  if (authorized.kind === "refused") return refusal(401, authorized.code, authorized.message);
  const json = await readJson(incoming);
  if (json.kind === "refused") return json.reply;
  const parsed = parseFunctionRequest(json.value, pathFromUrl);
  if (parsed.kind === "invalid") return refusal(400, "BadRequest", parsed.reason);
  const { path, args } = parsed.request;
  const call = { path, args, identity: authorized.identity, requestId: deps.nextRequestId() };
  const completed = await run(deps, call, parsed.request);
  return "outcome" in completed ? completedReply(completed, parsed.request.format) : completed;
}

function runQueryAt(
  { engine, runner }: FunctionRouteDeps,
  call: FunctionCall,
  { ts }: FunctionRequest,
): Promise<Completed | Reply> {
  if (ts === null) return Promise.resolve(refusal(400, "BadRequest", "query_at_ts needs a ts."));
  const durable = engine.durable();
  if (ts > durable || ts + OLDEST_QUERY_NS < durable) {
    return Promise.resolve(refusal(400, "TimestampOutOfRange", "No snapshot is kept for this ts."));
  }
  return runner.runQuery({ ...call, ts });
}

async function updateEnvironment(deps: FunctionRouteDeps, incoming: IncomingMessage): Promise<Reply> {
  const authorized = authorize(incoming.headers.authorization, deps.isAdminKey);
  if (authorized.kind === "refused") return refusal(401, authorized.code, authorized.message);
  if (authorized.identity.kind !== "admin") return refusal(403, "Forbidden", "Only the admin may do this.");
  const json = await readJson(incoming);
  if (json.kind === "refused") return json.reply;
  const parsed = environmentChanges.safeParse(json.value);
  if (!parsed.success) return refusal(400, "InvalidEnvironmentVariables", parsed.error.message.slice(0, 500));
  deps.environment.update(parsed.data.changes);
  return jsonReply(null);
}

async function readJson(incoming: IncomingMessage) {
  const body = await readBody(incoming, MAX_CALL_BYTES);
  switch (body.kind) {
    case "too large":
      return refused(413, "RequestTooLarge", `The body is larger than ${String(body.limit)} bytes.`);
    case "aborted":
      return refused(400, "BadRequest", "The body ended early.");
    case "ok": {
      const json = parseBody(body.text);
      return json.kind === "ok" ? json : refused(400, "BadJsonBody", json.reason);
    }
  }
}

function refused(status: number, code: string, message: string) {
  return { kind: "refused", reply: refusal(status, code, message) } as const;
}
