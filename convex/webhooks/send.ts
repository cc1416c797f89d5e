/// <reference types="node" />
"use node";

import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type Infer, v } from "convex/values";
import { retryAfterMs } from "../../app/webhooks/schedule.ts";
import { internal } from "../_generated/api.js";
import { internalAction } from "../_generated/server.js";
import { unseal } from "../model/signIn/sealed.ts";
import type { deliveryAttempt } from "../model/validators/webhooks.ts";
import { type Allowed, isExempt, webhookFault } from "../model/webhooks/address.ts";
import { eventBody, eventId, oldEventBody } from "../model/webhooks/body.ts";
import { allowedAddresses } from "../model/webhooks/endpoints.ts";
import type { dueStep, tried } from "../model/webhooks/pump.ts";
import { isOldSecret, signedHeaders } from "../model/webhooks/sign.ts";
import { lookupPublic, PrivateAddress } from "./publicLookup.ts";

/*
 * Calls to webhooks. They run in Node, which shows to which address a name leads before anything is sent there.
 */

/** Calls to one webhook at the same time. */
const parallel = 16;
const answersWithinMs = 15_000;
/** More of an answer is not read. */
const answerChars = 1_000;
/** Convex ends an action after ten minutes, and a step may last a minute. */
const runMs = 4 * 60_000;

/** Sends the deliveries of a webhook that are due, until none is. */
export const run = internalAction({
  args: { webhookId: v.id("webhooks"), wakeAt: v.number() },
  returns: v.null(),
  handler: async (ctx, of): Promise<null> => {
    const endAt = Date.now() + runMs;
    for (;;) {
      const step = await ctx.runQuery(internal.webhooks.steps.next, of);
      const { webhookId } = of;
      const { messages, dropped } = step ?? { messages: [], dropped: [] };
      if (dropped.length > 0)
        await ctx.runMutation(internal.webhooks.steps.drop, { webhookId, deliveryIds: dropped });
      if (step !== null && messages.length > 0) {
        const tries = await sendAll(step);
        await ctx.runMutation(internal.webhooks.steps.noted, { webhookId, tries });
      }
      const isLong = Date.now() > endAt;
      // A full step is likely to have a next one.
      if (messages.length + dropped.length > 0 && !isLong) continue;
      if (!(await ctx.runMutation(internal.webhooks.steps.settle, { ...of, isLong }))) return null;
    }
  },
});

type Step = Infer<typeof dueStep>;
type Tried = Infer<typeof tried>;

async function sendAll(step: Step): Promise<Tried[]> {
  const { messages } = step;
  const tries: Tried[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let message = messages[next++]; message !== undefined; message = messages[next++])
      tries.push(await send(step, message));
  };
  await Promise.all(Array.from({ length: Math.min(parallel, messages.length) }, worker));
  return tries;
}

async function send(step: Step, { deliveryId, ...message }: Step["messages"][number]): Promise<Tried> {
  const at = Date.now();
  const answered = await attempt(step, { ...message, id: eventId(deliveryId) }, at);
  const { retryAfter, ...outcome } = answered;
  const ended = Date.now();
  return {
    deliveryId,
    attempt: { at, ms: ended - at, ...outcome },
    retryAfterMs: retryAfterMs(retryAfter, ended),
  };
}

type Answer = Pick<Infer<typeof deliveryAttempt>, "status" | "error" | "answer"> & {
  readonly retryAfter: string | undefined;
};

const unsent = (error: string): Answer => ({ status: null, error, answer: "", retryAfter: undefined });

/** Never rejects. */
async function attempt(
  { url, organization, secrets: sealed }: Step,
  message: Parameters<typeof eventBody>[0],
  now: number,
): Promise<Answer> {
  try {
    const allowed = allowedAddresses();
    // The operator may have changed what is allowed since the webhook was added.
    const fault = webhookFault(url, allowed);
    if (fault !== null) return unsent(fault);
    const secrets = sealed.map((secret) => unseal(secret, "webhook secret"));
    const body = secrets.some(isOldSecret) ? oldEventBody(message, organization) : eventBody(message);
    const headers = signedHeaders({ id: message.id, body }, secrets, now);
    return answerOf(await post(url, { headers, body }, allowed));
  } catch (error) {
    return unsent(reasonOf(error));
  }
}

type Posted = { readonly response: IncomingMessage; readonly text: string };

function answerOf({ response, text }: Posted): Answer {
  const status = response.statusCode ?? 0;
  const error =
    status >= 200 && status < 300
      ? null
      : status >= 300 && status < 400
        ? "It answered with a redirect, which is not followed."
        : `It answered with status ${String(status)} instead of a success.`;
  return { status, error, answer: text, retryAfter: response.headers["retry-after"] };
}

function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddress)
    return "Its name leads into a private network. The server calls only public addresses.";
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"))
    return `It did not answer within ${String(answersWithinMs / 1_000)} seconds.`;
  // Only the codes of sockets and TLS, such as ECONNREFUSED: they quote nothing.
  const { code = "" } = error as { readonly code?: string };
  if (code !== "") return `It could not be reached (${code}).`;
  // For example the key of the secrets was replaced.
  return error instanceof Error ? error.message : "It could not be reached.";
}

/** Posts without following redirects, and reads the beginning of the answer. */
async function post(
  url: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: string },
  allowed: Allowed,
): Promise<Posted> {
  const request = url.startsWith("https:") ? requestHttps : requestHttp;
  return await new Promise((resolve, reject) => {
    const call = request(url, {
      method: "POST",
      agent: false,
      signal: AbortSignal.timeout(answersWithinMs),
      headers: {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "Gleaner",
        ...headers,
      },
      ...(isExempt(url, allowed) ? {} : { lookup: lookupPublic }),
    });
    call.on("error", reject);
    // A receiver that switches the protocol gives neither a response nor an error.
    call.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("It answered with another protocol."));
    });
    call.on("response", (response) => {
      let text = "";
      const end = (): void => {
        resolve({ response, text: text.slice(0, answerChars) });
        call.destroy();
      };
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length >= answerChars) end();
      });
      response.on("end", end);
      response.on("error", reject);
    });
    call.end(body);
  });
}
