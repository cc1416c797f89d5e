import { jobObject } from "@gleaner/client/http";
import * as z from "zod";
import type { DeviceNeeds } from "../../../app/keys/requirements.ts";
import { CommandError, exitUnreachable } from "../../command/command.ts";
import type { Api } from "./api.ts";
import { requiresHeader } from "./requires.ts";

/** The body of POST /v1/chat/completions, as the commands write it. */
export type ChatBody = {
  readonly model: string;
  readonly messages: readonly { readonly role: "system" | "user" | "assistant"; readonly content: string }[];
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly x_gleaner?: { readonly votes: number };
};

export type ChatOptions = {
  readonly model: string;
  /** Null: the server's default, also below. */
  readonly maxTokens: number | null;
  readonly temperature: number | null;
};

/** A request without the fields that were left out, which have their defaults. */
export function chatBody(options: ChatOptions, messages: ChatBody["messages"]): ChatBody {
  const { model, maxTokens, temperature } = options;
  return {
    model,
    messages,
    ...(maxTokens === null ? {} : { max_completion_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
  };
}

/** A chat completion that is asked for. `idempotencyKey`: a repeated one finds the same job. */
export type Question = {
  readonly body: ChatBody;
  readonly requires: DeviceNeeds;
  readonly idempotencyKey: string;
};

export type Asked = { readonly body: unknown; readonly priceMicro: bigint };

/** One wait of a call. Shorter than the silence after which Node ends a call. */
const waitSeconds = 30;

/**
 * Asks for a chat completion, and waits as long as it takes. A repeated idempotency key finds the same job, so it is never done
 * twice. `onWait` gets why the job has not started, whenever a wait is over.
 */
export async function ask(
  api: Api,
  question: Question,
  onWait: (waitsFor: string | null) => void = () => undefined,
): Promise<Asked> {
  for (;;) {
    const prefer = `respond-async, wait=${String(waitSeconds)}`;
    const withinMs = (waitSeconds + 60) * 1_000;
    const response = await send(api, question, { prefer, withinMs });
    const priceMicro = BigInt(response.headers.get("x-gleaner-price") ?? "0");
    if (response.status !== 202) return { body: await api.parse(response, z.unknown()), priceMicro };
    const { status, waits_for: waitsFor } = await api.parse(response, jobObject);
    if (status === "queued") onWait(waitsFor);
  }
}

type SendOptions = {
  readonly prefer: string;
  readonly withinMs?: number;
  readonly signal?: AbortSignal;
};

async function send(
  api: Api,
  { body, requires, idempotencyKey }: Question,
  { prefer, ...options }: SendOptions,
): Promise<Response> {
  return await api.send("/chat/completions", {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
      ...requiresHeader(requires),
      prefer,
    },
    ...options,
  });
}

/** How long a person waits after Ctrl-C. */
const cancelWithinMs = 5_000;

/**
 * Cancels the job of a call that nobody waits for any more. The call may not have named its job yet, but an equal one finds it at once,
 * or makes it if the first one never arrived. Resolves also if the server refuses that, as when the job has just ended.
 * @returns whether the server answered in time.
 */
export async function cancelAsked(api: Api, question: Question): Promise<boolean> {
  const signal = AbortSignal.timeout(cancelWithinMs);
  try {
    const response = await send(api, question, { prefer: "respond-async", signal });
    const { id } = await api.parse(response, jobObject);
    await api.send(`/jobs/${encodeURIComponent(id)}/cancel`, { method: "POST", signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof CommandError)) throw error;
    return error.exitCode !== exitUnreachable;
  }
}

const waits: Readonly<Record<string, string>> = {
  no_worker: "no device donates now",
  no_model: "no device that donates has the model",
  no_match: "no device that donates meets its requirements",
  busy: "all devices are busy",
  limit: "your key has reached its own limit",
  paused: "an administrator paused such jobs",
  time: "it is tried again after a while",
  job: "it waits for another job",
  credits: "your key has too few credits for the next request",
  quota: "a quota of your key is used up for now",
  budget: "the budget of your key or of its owner is used up for this month",
  queue: "the queue takes no more of its requests at the moment",
};

/** Why a job or a batch has not started, as a clause. */
export function waitWords(waitsFor: string | null): string {
  return waitsFor === null ? "a device is about to start it" : (waits[waitsFor] ?? waitsFor);
}
