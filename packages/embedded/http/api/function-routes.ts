import type { IncomingMessage } from "node:http";
import { networkOf } from "../../admission/address-count.ts";
import type { Admission } from "../../admission/admission.ts";
import { authenticate, type Authenticators } from "../../auth/authorization.ts";
import type { Engine } from "../../engine/model/types.ts";
import type {
  Completed,
  FunctionCall,
  FunctionRunner,
  Identity,
} from "../../runtime/contract/function-runner.ts";
import { isSystemFunction } from "../../system/system-functions.ts";
import { requestIdOf } from "../../wire/request-id.ts";
import type { RequestSource, SourceOf } from "../../wire/request-source.ts";
import { encodeTimestamp } from "../../wire/timestamps.ts";
import { completedReply, jsonReply, refusal, type Reply } from "../reply.ts";
import { type BodyRoom, readJson } from "../request-body.ts";
import type { ApiRoute } from "./api-handler.ts";
import { functionPathOfUrl, type FunctionRequest, parseFunctionRequest } from "./function-request.ts";

/** How far back `query_at_ts` reaches, in ns: Convex promises 30 seconds. */
const oldestQueryNs = 30_000_000_000n;

type FunctionRouteDeps = Authenticators & {
  readonly engine: Engine;
  readonly runner: FunctionRunner;
  readonly sourceOf: SourceOf;
  readonly admission: Admission;
  /** Why the functions cannot run; null if they can. */
  readonly waiting: { readonly problem: string | null };
};

type Run = (
  deps: FunctionRouteDeps,
  call: FunctionCall,
  request: FunctionRequest,
) => Promise<Completed | Reply>;

const runs = new Map<string, Run>([
  ["query", ({ runner }, call) => runner.runQuery(call)],
  ["query_at_ts", runQueryAt],
  ["mutation", ({ runner }, call) => runner.runMutation(call)],
  ["action", ({ runner }, call) => runner.runAction(call)],
  ["function", ({ runner }, call) => runner.runAny(call)],
]);

/** `POST /api/query`, `mutation`, `action` and similar. */
export function functionRoutes(deps: FunctionRouteDeps): ApiRoute {
  return (route, request) => {
    const answer = answerOf(deps, route);
    if (answer === null) return Promise.resolve(null);
    return request.method === "POST" ? answer(request) : Promise.resolve(usePost);
  };
}

const usePost = refusal(405, "MethodNotAllowed", "Use POST.");

function answerOf(
  deps: FunctionRouteDeps,
  route: string,
): ((request: IncomingMessage) => Promise<Reply>) | null {
  if (route === "query_ts")
    return () => Promise.resolve(jsonReply({ ts: encodeTimestamp(deps.engine.durable()) }));
  const run = runs.get(route);
  if (run !== undefined) return (request) => callFunction(deps, run, request, undefined);
  if (!route.startsWith("run/")) return null;
  const path = functionPathOfUrl(route.slice("run/".length));
  if (path === null) {
    const expected = refusal(400, "InvalidFunctionPath", "Expected /api/run/{module}/{function}.");
    return () => Promise.resolve(expected);
  }
  return (request) => callFunction(deps, ({ runner }, call) => runner.runAny(call), request, path);
}

async function callFunction(
  deps: FunctionRouteDeps,
  run: Run,
  incoming: IncomingMessage,
  pathFromUrl: string | undefined,
): Promise<Reply> {
  // Read now: after a client leaves, its address is gone.
  const source = deps.sourceOf(incoming);
  const authorized = await authenticate(incoming.headers.authorization, deps);
  if (authorized.kind === "refused") return refusal(401, authorized.code, authorized.message);
  if (authorized.kind === "unavailable") return refusal(503, authorized.code, authorized.message);
  const { admission } = deps;
  const given = { pathFromUrl, identity: authorized.identity, source };
  if (authorized.identity.kind !== "none") return answerCall(deps, run, incoming, { ...given, room: null });
  const account = admission.budget.open(networkOf(source.ip));
  try {
    return await answerCall(deps, run, incoming, { ...given, room: { ...admission, account } });
  } finally {
    account.set(0);
  }
}

type GivenCall = {
  readonly pathFromUrl: string | undefined;
  readonly identity: Identity;
  readonly source: RequestSource;
  readonly room: BodyRoom | null;
};

async function answerCall(
  deps: FunctionRouteDeps,
  run: Run,
  incoming: IncomingMessage,
  { pathFromUrl, identity, source, room }: GivenCall,
): Promise<Reply> {
  const json = await readJson(incoming, room);
  if (json.kind === "refused") return json.reply;
  const parsed = parseFunctionRequest(json.value, pathFromUrl);
  if (parsed.kind === "invalid") return refusal(400, "BadRequest", parsed.reason);
  const { path, args, component } = parsed.request;
  const { problem } = deps.waiting;
  if (problem !== null && !isSystemFunction(path)) {
    return { ...refusal(503, "FunctionsNotLoaded", problem), headers: { "Retry-After": "2" } };
  }
  const call = { path, component, args, identity, requestId: requestIdOf(incoming), source };
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
  if (ts > durable || ts + oldestQueryNs < durable) {
    return Promise.resolve(refusal(400, "TimestampOutOfRange", "No snapshot is kept for this ts."));
  }
  return runner.runQuery({ ...call, ts });
}
