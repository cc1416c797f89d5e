import { type CallsLeft, rateHeaders, tokenHeaders } from "../../app/jobs/rate-headers.ts";
import type { Origins } from "../../app/keys/origins.ts";
import { quotaPeriods, type Quotas } from "../../app/keys/quotas.ts";
import { scopeOfPath } from "../../app/keys/scopes.ts";
import { internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { type ActionCtx, httpAction } from "../_generated/server.js";
import type { ModelView } from "../model/models/catalog.ts";
import { unknownBody } from "./body/unknownBody.ts";
import { errorOf, missingKey, originNotAllowed, unknownQuery } from "./errors.ts";
import { type Failure, logBug, type Outcome, outcomeOf } from "./outcome.ts";
import { errorResponse, foreignPage, refusedPage, withOrigin } from "./respond.ts";

/** The authenticated caller of an endpoint: its API key, the models that it may use, and other names for them. */
export type Caller = {
  readonly keyId: Id<"apiKeys">;
  readonly models: readonly ModelView[];
  /** Its requests are counted against them. Absent: it has none. */
  readonly quotas?: Quotas | undefined;
  readonly aliases: readonly {
    readonly alias: string;
    readonly modelId: string;
    readonly createdAt: number;
  }[];
  readonly origins: Origins;
  readonly left?: CallsLeft | undefined;
};

type Answer = (ctx: ActionCtx, request: Request, caller: Caller) => Promise<Response>;

/** An endpoint of the OpenAI API. */
export function endpoint(answer: Answer) {
  return httpAction(async (ctx: ActionCtx, request) => await answerCaller(ctx, request, answer));
}

/**
 * Admits the caller first, refuses parameters of the address and fields of a body that the call does not have, and turns every failure
 * into OpenAI's error object.
 */
export async function answerCaller(ctx: ActionCtx, request: Request, answer: Answer): Promise<Response> {
  return await identified(async () => {
    const { response, origins } = await admitAndAnswer(ctx, request, answer);
    return withOrigin(request, response, origins);
  });
}

/** Gives an answer its id, and tells how long the server took for it; for a stream, until its beginning. */
export async function identified(answer: () => Promise<Response>): Promise<Response> {
  const begun = Date.now();
  const response = await answer();
  response.headers.set("x-request-id", `req_${crypto.randomUUID().replaceAll("-", "")}`);
  response.headers.set("openai-processing-ms", String(Date.now() - begun));
  return response;
}

/** `origins`: those whose pages may read the response. */
type Answered = { readonly response: Response; readonly origins: Origins };

async function admitAndAnswer(ctx: ActionCtx, request: Request, answer: Answer): Promise<Answered> {
  const apiKey = bearerKey(request);
  const unadmitted = async (response: Response): Promise<Answered> => ({
    response,
    origins: await originsOfNobody(ctx, request),
  });
  if (apiKey === null) return await unadmitted(errorResponse(missingKey));
  const admitted = await admit(ctx, request, apiKey);
  if (admitted.kind !== "ok") {
    const response = withHeaders(errorResponse(errorOf(admitted)), rateOf(leftOf(admitted)));
    return isOfForeignPage(admitted) ? { response, origins: [] } : await unadmitted(response);
  }
  const caller = admitted.value;
  const response = await answerKnown(request, async () => await answer(ctx, request, caller));
  const headers = { ...rateOf(caller.left), ...(await tokensOf(ctx, caller)) };
  return { response: withHeaders(response, headers), origins: caller.origins };
}

async function answerKnown(request: Request, answer: () => Promise<Response>): Promise<Response> {
  const refusedOrAnswer = async (): Promise<Response> => {
    const unknown = unknownQuery(request) ?? (await unknownBody(request));
    return unknown === null ? await answer() : errorResponse(unknown);
  };
  const outcome = await outcomeOf(refusedOrAnswer());
  return outcome.kind === "ok" ? outcome.value : errorResponse(errorOf(outcome));
}

/** The origins whose pages may read what nobody's key has asked for: those that some organization allows. Never rejects. */
export async function originsOfNobody(ctx: ActionCtx, request: Request): Promise<Origins> {
  return await originsFor(request, async () => await ctx.runQuery(internal.requests.originsOfAny, {}));
}

/** Answers a call with a token for metrics: with an id, and only to pages that its organization allows. */
export async function answerToken(
  ctx: ActionCtx,
  request: Request,
  token: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  return await identified(async () => {
    const response = await answerKnown(request, answer);
    const origins = await originsOfToken(ctx, request, token);
    const page = response.ok ? refusedPage(request, origins) : null;
    return withOrigin(request, page === null ? response : errorResponse(originNotAllowed(page)), origins);
  });
}

/** Never rejects. */
async function originsOfToken(ctx: ActionCtx, request: Request, token: string): Promise<Origins> {
  return await originsFor(request, async () => await ctx.runQuery(internal.metrics.origins, { token }));
}

/** Reads origins if a page calls. If they cannot be read, no page may read the answer. */
async function originsFor({ headers }: Request, read: () => Promise<Origins>): Promise<Origins> {
  if (headers.get("origin") === null) return null;
  const origins = await outcomeOf(read());
  if (origins.kind === "ok") return origins.value;
  logBug(
    "the origins of pages could not be read",
    origins.kind === "failed" ? origins.thrown : origins.refusal,
  );
  return [];
}

function rateOf(left: CallsLeft | undefined): Readonly<Record<string, string>> {
  return left === undefined ? {} : rateHeaders(left);
}

/** Another organization may allow the page, but it must not learn that the key is valid. */
function isOfForeignPage(failure: Failure): boolean {
  return failure.kind === "refused" && failure.refusal.code === "origin_not_allowed";
}

/** A key that makes too many calls has none left. */
function leftOf(failure: Failure): CallsLeft | undefined {
  if (failure.kind !== "refused" || failure.refusal.code !== "rate_limited") return undefined;
  return { calls: 0, resetMs: failure.refusal.retryAfterMs ?? 0 };
}

/**
 * The headers of a key's quota of tokens. They are read after the answer, so they count its job. Never rejects: without them, the
 * requester only knows less.
 */
async function tokensOf(
  ctx: ActionCtx,
  { keyId, quotas = {} }: Pick<Caller, "keyId" | "quotas">,
): Promise<Readonly<Record<string, string>>> {
  if (quotaPeriods.every((period) => quotas[period]?.tokens === undefined)) return {};
  const use = await outcomeOf(ctx.runQuery(internal.requests.useOfKey, { keyId }));
  if (use.kind === "ok") return tokenHeaders(quotas, use.value, Date.now());
  logBug("the use of a key could not be read", use.kind === "failed" ? use.thrown : use.refusal);
  return {};
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** Authenticates a call and counts it. If counting fails, lets the call through: a broken limiter must be no outage. */
async function admit(ctx: ActionCtx, request: Request, apiKey: string): Promise<Outcome<Caller>> {
  const [scope, page] = [scopeOfPath(new URL(request.url).pathname), foreignPage(request)];
  const call = { apiKey, ...(scope === null ? {} : { scope }), ...(page === null ? {} : { page }) };
  const counted = await outcomeOf<Caller>(ctx.runMutation(internal.requests.admit, call));
  if (counted.kind === "ok" || counted.kind === "refused") return counted;
  logBug("a call was let through uncounted", counted.thrown);
  const { ip } = await ctx.meta.getRequestMetadata();
  const from = ip === null ? {} : { address: ip };
  return await outcomeOf<Caller>(ctx.runQuery(internal.requests.identify, { ...call, ...from }));
}

/** The id behind a prefix of a request's path, and the rest of the path behind the id. */
export function idBelow({ url }: Request, prefix: string): { readonly id: string; readonly rest: string } {
  const path = new URL(url).pathname.slice(prefix.length);
  const [id = ""] = path.split("/", 1);
  return { id, rest: path.slice(id.length) };
}

/** The method that decides what is done. HEAD asks for the headers of what GET answers, and its answer's body is not sent. */
export function methodOf({ method }: Request): string {
  return method === "HEAD" ? "GET" : method;
}

/** The secret of a request's `Authorization: Bearer` header, or of Anthropic's `x-api-key`; null without one. */
export function bearerKey({ headers }: Request): string | null {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? /^\s*(\S+)\s*$/.exec(headers.get("x-api-key") ?? "")?.[1] ?? null;
}
