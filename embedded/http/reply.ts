import type { ServerResponse } from "node:http";
import type { JSONValue } from "convex/values";
import type { Completed } from "../runtime/types.ts";
import type { ValueFormat } from "./function-request.ts";
import { plainJson } from "./plain-json.ts";

export type Reply = {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body:
    { readonly type: "json"; readonly value: unknown } | { readonly type: "text"; readonly text: string };
};

export function jsonReply(value: unknown, status = 200): Reply {
  return { status, body: { type: "json", value } };
}

export function textReply(text: string, status = 200): Reply {
  return { status, body: { type: "text", text } };
}

/** A refusal as Convex words them: a code for programs and a message for people. */
export function refusal(status: number, code: string, message: string): Reply {
  return jsonReply({ code, message }, status);
}

/** A finished call as `ConvexHttpClient` reads it. A function that failed is still a finished call. */
export function completedReply({ outcome, logLines }: Completed, format: ValueFormat): Reply {
  const written = (value: JSONValue): JSONValue => (format === "json" ? plainJson(value) : value);
  if (outcome.kind === "success") {
    return jsonReply({ status: "success", value: written(outcome.value), logLines });
  }
  return jsonReply({
    status: "error",
    errorMessage: outcome.message,
    ...(outcome.data === undefined ? {} : { errorData: written(outcome.data) }),
    logLines,
  });
}

export function sendReply(response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) return;
  const isJson = reply.body.type === "json";
  const text = reply.body.type === "json" ? JSON.stringify(reply.body.value) : reply.body.text;
  response.writeHead(reply.status, {
    "Content-Type": isJson ? "application/json" : "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(text)),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...reply.headers,
  });
  response.end(text);
}
