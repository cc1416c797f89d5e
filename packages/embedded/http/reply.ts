import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { JSONValue } from "convex/values";
import { escaped } from "../operations/log.ts";
import type { Completed } from "../runtime/contract/function-runner.ts";
import { plainJson, type ValueFormat } from "./plain-json.ts";

export type Reply = {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body: ReplyBody;
};

type ReplyBody =
  /** `isError`: it may quote what was asked, so hidden characters are escaped. It stays the same JSON. */
  | { readonly type: "json"; readonly value: unknown; readonly isError?: boolean }
  | { readonly type: "text"; readonly text: string }
  /** Sent as it arrives. `Content-Type`, and the length if known, are in the reply's headers. */
  | { readonly type: "stream"; readonly stream: Readable };

export function jsonReply(value: unknown, status = 200): Reply {
  return { status, body: { type: "json", value } };
}

export function textReply(text: string, status = 200): Reply {
  return { status, body: { type: "text", text } };
}

/** A refusal in Convex's form: a code for programs and a message for people. */
export function refusal(status: number, code: string, message: string): Reply {
  return { status, body: { type: "json", value: { code, message }, isError: true } };
}

/** A finished call in the form that `ConvexHttpClient` reads. A failed function is a finished call, too. */
export function completedReply({ outcome, logLines }: Completed, format: ValueFormat): Reply {
  const written = (value: JSONValue): JSONValue => (format === "json" ? plainJson(value) : value);
  if (outcome.kind === "success") {
    return jsonReply({ status: "success", value: written(outcome.value), logLines });
  }
  const value = {
    status: "error",
    errorMessage: outcome.message,
    ...(outcome.data === undefined ? {} : { errorData: written(outcome.data) }),
    logLines,
  };
  return { status: 200, body: { type: "json", value, isError: true } };
}

/** Sends a reply. Resolves when it was handed over, also if the client left meanwhile. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.body.type === "stream") {
    await sendStream(response, reply, reply.body.stream);
    return;
  }
  if (response.headersSent || response.destroyed) return;
  const isJson = reply.body.type === "json";
  const text = reply.body.type === "json" ? jsonOf(reply.body) : reply.body.text;
  response.writeHead(reply.status, {
    "Content-Type": isJson ? "application/json" : "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(text)),
    ...commonHeaders,
    ...reply.headers,
  });
  response.end(text);
}

function jsonOf({ value, isError = false }: { readonly value: unknown; readonly isError?: boolean }): string {
  const json = JSON.stringify(value);
  return isError ? escaped(json) : json;
}

const commonHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

async function sendStream(response: ServerResponse, reply: Reply, stream: Readable): Promise<void> {
  if (response.headersSent || response.destroyed) {
    stream.destroy();
    return;
  }
  response.writeHead(reply.status, { ...commonHeaders, ...reply.headers });
  // The headers are sent, so a failing stream can only cut the connection, which pipeline does.
  await pipeline(stream, response).catch(() => undefined);
}
