import { httpRouter } from "convex/server";
import { unixSeconds } from "../app/batches/openai-objects.ts";
import { type Language, languageOf } from "../app/format/languages.ts";
import { expositionType } from "../app/statistics/exposition.ts";
import { internal } from "./_generated/api.js";
import { type ActionCtx, httpAction } from "./_generated/server.js";
import {
  anthropicEndpoint,
  anthropicRefusal,
  countTokens,
  createMessage,
  isAnthropicPath,
} from "./anthropic/messages.ts";
import { askPage, endedPage, endMailsPath } from "./model/alerts/endPage.ts";
import { deploymentUrlFor } from "./model/deploymentUrl.ts";
import { embed, embeddings as ollamaEmbeddings } from "./ollama/embed.ts";
import { inOllamaForm, ollamaEndpoint } from "./ollama/endpoint.ts";
import { listTags, showModel, unsupportedCalls, version } from "./ollama/models.ts";
import { chat, generate } from "./ollama/text.ts";
import { batchesPath } from "./openai/batches/batchBody.ts";
import { callBatch, createBatch, listBatches } from "./openai/batches/batches.ts";
import { estimateBatch, estimatePath } from "./openai/batches/estimate.ts";
import { callJob } from "./openai/calls/calls.ts";
import { embeddings } from "./openai/embeddings/embeddings.ts";
import { rerank } from "./openai/embeddings/rerank.ts";
import { bearerKey, type Caller, endpoint, identified, originsOfNobody } from "./openai/endpoint.ts";
import { originNotAllowed, unknownModel, unknownQuery, unknownUrl, wrongMethod } from "./openai/errors.ts";
import { quote, quotesPath } from "./openai/estimate/quote.ts";
import { filesPath } from "./openai/files/fileBody.ts";
import { callFile, listFiles, uploadFile } from "./openai/files/files.ts";
import { callUpload, createUpload, uploadsPath } from "./openai/files/uploads.ts";
import { jobsPath } from "./openai/jobs/jobBody.ts";
import { listJobs, listReceipts } from "./openai/jobs/jobs.ts";
import { allNamed, type NamedModel, namedModel } from "./openai/namedModel.ts";
import { listBody } from "./openai/paging.ts";
import {
  type ApiError,
  cors,
  errorResponse,
  json,
  preflight,
  refusedPage,
  withOrigin,
} from "./openai/respond.ts";
import { responsesPath } from "./openai/responses/responseBody.ts";
import { callResponse, createResponse } from "./openai/responses/responses.ts";
import { chatCompletions, completions } from "./openai/textCalls.ts";
import { tokenize } from "./openai/tokens/tokens.ts";
import { budgets } from "./openai/usage/budgets.ts";
import { credits } from "./openai/usage/credits.ts";
import { usage } from "./openai/usage/usage.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** Convex sets it for every function. */
declare const process: { readonly env: { readonly CONVEX_CLOUD_URL?: string } };

const http = httpRouter();
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const modelsPath = "/v1/models/";

http.route({ path: "/v1/chat/completions", method: "POST", handler: endpoint(chatCompletions) });
http.route({ path: "/v1/responses", method: "POST", handler: endpoint(createResponse) });
http.route({ path: "/v1/messages", method: "POST", handler: anthropicEndpoint(createMessage) });
http.route({ path: "/v1/messages/count_tokens", method: "POST", handler: anthropicEndpoint(countTokens) });
http.route({ path: "/v1/completions", method: "POST", handler: endpoint(completions) });
http.route({ path: "/v1/embeddings", method: "POST", handler: endpoint(embeddings) });
http.route({ path: "/v1/rerank", method: "POST", handler: endpoint(rerank) });
http.route({ path: "/v1/tokenize", method: "POST", handler: endpoint(tokenize) });
http.route({ path: "/v1/models", method: "GET", handler: endpoint(listModels) });
http.route({ path: "/v1/usage", method: "GET", handler: usage });
http.route({ path: "/v1/budgets", method: "GET", handler: budgets });
http.route({ path: "/v1/credits", method: "GET", handler: credits });
http.route({ pathPrefix: modelsPath, method: "GET", handler: endpoint(getModel) });
http.route({ path: "/v1/jobs", method: "GET", handler: endpoint(listJobs) });
http.route({ path: "/v1/receipts", method: "GET", handler: endpoint(listReceipts) });
http.route({ path: "/v1/files", method: "POST", handler: endpoint(uploadFile) });
http.route({ path: "/v1/files", method: "GET", handler: endpoint(listFiles) });
http.route({ path: "/v1/uploads", method: "POST", handler: endpoint(createUpload) });
http.route({ path: "/v1/batches", method: "POST", handler: endpoint(createBatch) });
http.route({ path: estimatePath, method: "POST", handler: endpoint(estimateBatch) });
http.route({ pathPrefix: quotesPath, method: "POST", handler: endpoint(quote) });
http.route({ path: "/v1/batches", method: "GET", handler: endpoint(listBatches) });
for (const method of methods) {
  http.route({ pathPrefix: jobsPath, method, handler: endpoint(callJob) });
  http.route({ pathPrefix: responsesPath, method, handler: endpoint(callResponse) });
  http.route({ pathPrefix: filesPath, method, handler: endpoint(callFile) });
  http.route({ pathPrefix: uploadsPath, method, handler: endpoint(callUpload) });
  http.route({ pathPrefix: batchesPath, method, handler: endpoint(callBatch) });
}

/** The description of these routes, for which nobody needs a key. A new route needs a row in app/openapi/operations.ts. */
http.route({
  path: "/v1/openapi.json",
  method: "GET",
  handler: httpAction(
    async (ctx, request) =>
      await identified(async () => {
        const unknown = unknownQuery(request);
        if (unknown !== null) return errorResponse(unknown);
        const known = request.headers.get("if-none-match");
        const { etag, json } = await ctx.runAction(internal.openai.document.openApi.read, { known });
        const headers = { etag, "cache-control": "public, max-age=3600", ...cors };
        if (json === null) return new Response(null, { status: 304, headers });
        return new Response(json, { headers: { "content-type": "application/json", ...headers } });
      }),
  ),
});

http.route({ path: "/api/chat", method: "POST", handler: ollamaEndpoint(chat) });
http.route({ path: "/api/generate", method: "POST", handler: ollamaEndpoint(generate) });
http.route({ path: "/api/embed", method: "POST", handler: ollamaEndpoint(embed) });
http.route({ path: "/api/embeddings", method: "POST", handler: ollamaEndpoint(ollamaEmbeddings) });
http.route({ path: "/api/tags", method: "GET", handler: ollamaEndpoint(listTags) });
http.route({ path: "/api/show", method: "POST", handler: ollamaEndpoint(showModel) });
http.route({ path: "/api/version", method: "GET", handler: ollamaEndpoint(version) });
for (const { path, method, error } of unsupportedCalls) {
  http.route({
    path,
    method,
    handler: ollamaEndpoint(async () => await Promise.resolve(errorResponse(error))),
  });
}

refuseOthers("/v1/", (error, path) =>
  isAnthropicPath(path) ? anthropicRefusal(error) : errorResponse(error),
);
refuseOthers("/api/", (error) => inOllamaForm(errorResponse(error)));

/** The form of an API's errors. `path`: of the call. */
type ErrorForm = (error: ApiError, path: string) => Response | Promise<Response>;

/** Answers the preflight requests of an API. Refuses each unknown URL of it, and each method that a known one does not have. */
function refuseOthers(pathPrefix: string, form: ErrorForm): void {
  const others = [{ path: pathPrefix.slice(0, -1) }, { pathPrefix }] as const;
  const otherPaths: readonly string[] = [pathPrefix.slice(0, -1), `${pathPrefix}*`];
  const refuse = httpAction(async (ctx, request) => {
    const { pathname } = new URL(request.url);
    const allowed = methods.filter((method) => {
      const [, , path] = http.lookup(pathname, method) ?? [];
      return path !== undefined && !otherPaths.includes(path);
    });
    const error = allowed.length === 0 ? unknownUrl(request) : wrongMethod(request, allowed);
    return await identified(async () =>
      withOrigin(request, await form(error, pathname), await originsOfNobody(ctx, request)),
    );
  });
  // A preflight request has no key. It is refused if no organization allows the page, so that its browser sends no call at all.
  const answerPreflight = httpAction(async (ctx, request) => {
    const origins = await originsOfNobody(ctx, request);
    const page = refusedPage(request, origins);
    const { pathname } = new URL(request.url);
    const response = page === null ? preflight() : await form(originNotAllowed(page), pathname);
    return withOrigin(request, response, origins);
  });
  for (const where of others) {
    for (const method of methods) http.route({ ...where, method, handler: refuse });
    http.route({ ...where, method: "OPTIONS", handler: answerPreflight });
  }
}

/** Tells Convex clients, such as the console and donors, the URL of the deployment that serves this site. */
http.route({
  path: "/config",
  method: "GET",
  handler: httpAction(async (_ctx, request) => {
    const deploymentUrl = deploymentUrlFor(request.url, process.env.CONVEX_CLOUD_URL);
    return await Promise.resolve(json(200, { deploymentUrl }));
  }),
});
http.route({
  path: "/config",
  method: "OPTIONS",
  handler: httpAction(async () => await Promise.resolve(preflight())),
});

/** An organization's metrics, for Prometheus. The token is made by an admin; without one nothing is shown. */
http.route({
  path: "/metrics",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const token = bearerKey(request);
    const text = token === null ? null : await ctx.runQuery(internal.metrics.read, { token });
    if (text !== null) return new Response(text, { headers: { "content-type": expositionType } });
    const why = "Send the token for metrics as a header: Authorization: Bearer gm_…\n";
    return new Response(why, { status: 401, headers: { "www-authenticate": "Bearer" } });
  }),
});

const maxCallbackChars = 8_192;

/** Where OpenID providers send browsers back. An action does the work, so that other routes do not load its libraries. */
http.route({
  path: "/auth/callback",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const { url } = request;
    const location =
      url.length > maxCallbackChars
        ? null
        : await ctx.runAction(internal.access.singleSignOn.callback, { url });
    if (location !== null) {
      const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
      return new Response(null, { status: 302, headers });
    }
    return new Response("This sign-in has ended. Go back to the console and try again.\n", { status: 400 });
  }),
});

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
  "referrer-policy": "no-referrer",
};

/** The language of a browser without an account. */
function languageFor(request: Request): Language {
  const accepted = request.headers.get("accept-language") ?? "";
  const tags = accepted.split(",").map((each) => each.split(";")[0]?.trim() ?? "");
  return languageOf(null, tags);
}

/** The recipient of a mail with alerts ends them, without an account. */
http.route({
  path: endMailsPath,
  method: "GET",
  handler: httpAction(
    async (_, request) =>
      await Promise.resolve(new Response(askPage(languageFor(request)), { headers: pageHeaders })),
  ),
});
http.route({
  path: endMailsPath,
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const token = new URL(request.url).searchParams.get("token") ?? "";
    await ctx.runMutation(internal.alerts.endMails, { token: token.slice(0, 200) });
    return new Response(endedPage(languageFor(request)), { headers: pageHeaders });
  }),
});

/** The models, and then the other names for them. All are on one page of the list. */
async function listModels(_ctx: ActionCtx, _request: Request, caller: Caller): Promise<Response> {
  const data = allNamed(caller).map((each) => ({ id: nameOf(each), body: modelBody(each) }));
  return await Promise.resolve(json(200, listBody(data, true)));
}

/** A model's id may contain slashes. */
async function getModel(_ctx: ActionCtx, request: Request, caller: Caller): Promise<Response> {
  const wanted = decoded(new URL(request.url).pathname.slice(modelsPath.length));
  const found = namedModel(caller, (name) => name === wanted);
  const response =
    found === undefined ? errorResponse(unknownModel(wanted, caller.models)) : json(200, modelBody(found));
  return await Promise.resolve(response);
}

/** Clients escape different characters of a name. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function nameOf({ model, alias }: NamedModel): string {
  return alias?.alias ?? model.modelId;
}

/**
 * Has the fields of OpenAI's models and of Anthropic's. `root`: the model for which an alias stands. `context_length`: in tokens. Other
 * servers of OpenAI's API name them so.
 */
function modelBody(named: NamedModel): object {
  const { model, alias } = named;
  const id = nameOf(named);
  const { createdAt } = alias ?? model;
  const openai = {
    object: "model",
    created: unixSeconds(createdAt),
    owned_by: "organization",
    context_length: model.contextTokens,
  };
  const anthropic = { type: "model", display_name: id, created_at: new Date(createdAt).toISOString() };
  const tokens = { max_input_tokens: model.contextTokens, max_tokens: model.contextTokens };
  const root = alias === null ? {} : { root: model.modelId };
  return { id, ...openai, ...anthropic, ...tokens, ...anthropicOnly, ...root };
}

/** Fields of Anthropic's models that tell nothing here. A retired model is not listed. */
const anthropicOnly = {
  lifecycle: "active",
  deprecated_at: null,
  retires_at: null,
  line: null,
  capabilities: null,
};

export default http;
