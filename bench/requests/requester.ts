import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import * as z from "zod";
import type { Farm } from "../../launch/farm/farm.ts";

/** A requester of the farm, with as many API keys as its calls need: one key may call a hundred times in a burst. */
export type Requester = {
  readonly chat: (task: string, options?: ChatOptions) => Promise<Response>;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** The times at which the queue took a job and at which it ended, ms since the epoch. */
  readonly timesOf: (jobId: string) => Promise<{ readonly submittedAt: number; readonly finishedAt: number }>;
};

type ChatOptions = {
  readonly stream?: boolean;
  readonly respondAsync?: boolean;
  readonly signal?: AbortSignal;
};

const callsOfKey = 80;
/** As many as the demo model's context allows, and more than a streamed minute has. */
const mostTokens = 1_024;

const times = z.object({ submittedAt: z.number(), finishedAt: z.number() });

/** Methods of the client that its public types leave out. */
type WithAdminAuth = { setAdminAuth(key: string): void };

export function makeRequester({ backend, setup, organization, modelId, adminKey }: Farm): Requester {
  const admin = new ConvexHttpClient(backend.url, { logger: false });
  (admin as unknown as WithAdminAuth).setAdminAuth(adminKey);
  const identify = makeFunctionReference<"query", { apiKey: string }, { keyId: string }>("requests:identify");
  const job = makeFunctionReference<"query", { keyId: string; jobId: string }>("requests:jobAdmitted");
  const keyOfJob = new Map<string, string>();
  let apiKey: Promise<string> = Promise.resolve(organization.apiKey);
  let calls = 0;
  const nextKey = (): Promise<string> => {
    calls += 1;
    if (calls % callsOfKey === 0) apiKey = setup.issueKey(organization.organizationId, `key ${calls}`);
    return apiKey;
  };
  const send = async (path: string, key: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${backend.siteUrl}/v1${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  return {
    chat: async (task, { stream = false, respondAsync = false, signal } = {}) => {
      const key = await nextKey();
      const response = await send("/chat/completions", key, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(respondAsync ? { prefer: "respond-async" } : {}),
        },
        body: JSON.stringify({
          model: modelId,
          messages: [{ role: "user", content: task }],
          max_tokens: mostTokens,
          stream,
        }),
        ...(signal === undefined ? {} : { signal }),
      });
      keyOfJob.set(response.headers.get("x-gleaner-job") ?? "", key);
      return response;
    },
    fetch: (path, init) => send(path, organization.apiKey, init),
    timesOf: async (jobId) => {
      const { keyId } = await admin.query(identify, { apiKey: keyOfJob.get(jobId) ?? "" });
      return times.parse(await admin.query(job, { keyId, jobId }));
    },
  };
}
