import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server.js";
import { deploymentUrlFor } from "./model/deploymentUrl.ts";
import { admitted } from "./openai/admitted.ts";
import { chatCompletions } from "./openai/chatCompletions.ts";
import { completions } from "./openai/completions.ts";
import { embeddings } from "./openai/embeddings.ts";
import { errorResponse } from "./openai/errors.ts";
import { openaiAction } from "./openai/endpoint.ts";
import { getModel, listModels, modelsPath } from "./openai/models.ts";
import { json, preflight } from "./openai/respond.ts";

/** Set by Convex for every function; the one thing here that is not in the code. */
declare const process: { readonly env: { readonly CONVEX_CLOUD_URL?: string } };

const http = httpRouter();
const preflightAction = httpAction(async () => await Promise.resolve(preflight()));

http.route({
  path: "/v1/chat/completions",
  method: "POST",
  handler: openaiAction(admitted(chatCompletions)),
});
http.route({
  path: "/v1/completions",
  method: "POST",
  handler: openaiAction(admitted(completions), "prompt"),
});
http.route({
  path: "/v1/embeddings",
  method: "POST",
  handler: openaiAction(admitted(embeddings), "input"),
});
http.route({ path: "/v1/models", method: "GET", handler: openaiAction(admitted(listModels)) });
http.route({ pathPrefix: modelsPath, method: "GET", handler: openaiAction(admitted(getModel)) });
http.route({ pathPrefix: "/v1/", method: "OPTIONS", handler: preflightAction });

for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
  http.route({
    pathPrefix: "/v1/",
    method,
    handler: openaiAction(async (_ctx, request) => {
      const { pathname } = new URL(request.url);
      return await Promise.resolve(
        errorResponse({
          status: 404,
          type: "invalid_request_error",
          code: "unknown_url",
          message: `Unknown request URL: ${request.method} ${pathname.slice(0, 200)}.`,
        }),
      );
    }),
  });
}

/** Where clients that speak Convex (the console, donors) find the deployment that serves this site. */
http.route({
  path: "/config",
  method: "GET",
  handler: httpAction(async (_ctx, request) => {
    const deploymentUrl = deploymentUrlFor(request.url, process.env.CONVEX_CLOUD_URL);
    return await Promise.resolve(json(200, { deploymentUrl }));
  }),
});
http.route({ path: "/config", method: "OPTIONS", handler: preflightAction });

export default http;
