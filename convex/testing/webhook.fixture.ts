import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import type { WebhookEvent } from "../../app/webhooks/events.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import type { Backend } from "./backend.fixture.ts";

export type Message = {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
};

export type Answer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

export type Receiver = {
  readonly url: string;
  /** All that came, in its order. */
  readonly messages: Message[];
  /** The next answers, in their order; then 200. */
  readonly answers: Answer[];
  readonly close: () => void;
};

/** A receiver of webhooks on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const messages: Message[] = [];
  const answers: Answer[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      messages.push({ body, headers: request.headers, event: JSON.parse(body) as Message["event"] });
      const answer = answers.shift() ?? { status: 200 };
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
  return {
    url,
    messages,
    answers,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Chosen = { readonly name?: string; readonly apiKeyId?: Id<"apiKeys"> };

export async function addWebhook(
  t: Backend,
  session: string,
  url: string,
  events: WebhookEvent[],
  { name = "Hook", apiKeyId }: Chosen = {},
) {
  const settings = { name, url, events, apiKeyId: apiKeyId ?? null };
  return await t.action(api.console.webhooks.endpoints.add, { session, ...settings });
}

/** Lets what is due within `ms` be sent. Needs fake timers. */
export async function deliver(t: Backend, ms = 1_000): Promise<void> {
  vi.advanceTimersByTime(ms);
  await t.finishInProgressScheduledFunctions();
  // The first run found these late, such as skipped events.
  vi.advanceTimersByTime(1);
  await t.finishInProgressScheduledFunctions();
}
