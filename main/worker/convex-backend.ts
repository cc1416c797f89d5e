import { ConvexClient } from "convex/browser";
import { ConvexError } from "convex/values";
import { z } from "zod";
import { api } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.js";
import { errorName, type Log } from "../log.ts";
import { chatRequest } from "../runner/messages.ts";
import { type Backend, type Claimed, UnknownDeviceError, type Unsubscribe } from "./backend.ts";

export type ConvexBackendOptions = {
  readonly url: string;
  readonly deviceKey: string;
  readonly log: Log;
  /** Where the runtime has no WebSocket of its own (Electron's Node): `ws`'s. */
  readonly webSocketConstructor?: typeof WebSocket;
};

/** The real backend, over one WebSocket that the client keeps open. */
export function connectBackend(options: ConvexBackendOptions): Backend {
  const { deviceKey, log } = options;
  const client = new ConvexClient(options.url, {
    // A self-hosted deployment may have any address.
    skipConvexDeploymentUrlCheck: true,
    unsavedChangesWarning: false,
    logger: false,
    ...(options.webSocketConstructor === undefined
      ? {}
      : { webSocketConstructor: options.webSocketConstructor }),
  });
  const failed =
    (query: string) =>
    (error: Error): void =>
      log("warn", "backend.query-failed", { query, error: errorName(deviceError(error)) });

  return {
    enroll: async (code, name, platform) => {
      const outcome = await call(client.mutation(api.devices.enroll, { code, deviceKey, name, platform }));
      if (outcome.kind === "refused") return outcome;
      return { kind: "enrolled", deviceId: outcome.deviceId, organizationName: outcome.organization };
    },
    hello: async (version, { models, ...capabilities }, startup) => {
      const able = { ...capabilities, models: [...models] };
      await call(client.mutation(api.devices.hello, { deviceKey, version, capabilities: able, startup }));
    },
    heartbeat: async () => {
      await call(client.mutation(api.devices.heartbeat, { deviceKey }));
    },
    report: async (activity) => {
      await call(client.mutation(api.devices.report, { deviceKey, activity }));
    },
    goodbye: async () => {
      await call(client.mutation(api.devices.goodbye, { deviceKey }));
    },
    claim: async (jobId) => {
      const outcome = await call(client.mutation(api.work.claim, { deviceKey, jobId: jobId as Id<"jobs"> }));
      return outcome.kind === "claimed" ? { kind: "claimed", claimed: parseClaimed(outcome) } : outcome;
    },
    append: (attemptId, seq, text) =>
      call(
        client.mutation(api.work.append, { deviceKey, attemptId: attemptId as Id<"attempts">, seq, text }),
      ),
    complete: async (attemptId, result, wantsNext) => {
      const id = attemptId as Id<"attempts">;
      const outcome = await call(
        client.mutation(api.work.complete, { deviceKey, attemptId: id, result, wantsNext }),
      );
      if (outcome.kind === "fenced") return outcome;
      return { ...outcome, next: outcome.next === null ? null : parseClaimed(outcome.next) };
    },
    fail: (attemptId, error) =>
      call(client.mutation(api.work.fail, { deviceKey, attemptId: attemptId as Id<"attempts">, error })),
    release: (attemptId, reason) =>
      call(client.mutation(api.work.release, { deviceKey, attemptId: attemptId as Id<"attempts">, reason })),
    onMe: (listener, onError) =>
      client.onUpdate(
        api.devices.me,
        { deviceKey },
        ({ organization, ...me }) => listener({ ...me, organizationName: organization.name }),
        (error) => onError(deviceError(error)),
      ),
    onReady: (listener) =>
      client.onUpdate(
        api.work.ready,
        { deviceKey },
        (jobs) => listener(jobs.map(({ jobId }) => jobId)),
        failed("work.ready"),
      ),
    onHeld: (listener) =>
      client.onUpdate(
        api.work.held,
        { deviceKey },
        (attempts) => listener(attempts.map(({ attemptId }) => attemptId)),
        failed("work.held"),
      ),
    onEarnings: (since, listener) =>
      client.onUpdate(api.devices.earnings, { deviceKey, since }, listener, failed("devices.earnings")),
    onHistory: (rows, listener) => {
      const paginationOpts = { numItems: rows, cursor: null };
      return client.onUpdate(
        api.devices.history,
        { deviceKey, paginationOpts },
        ({ page }) => listener(page),
        failed("devices.history"),
      );
    },
    onConnection: (listener): Unsubscribe => {
      const tell = (state: ReturnType<typeof client.client.connectionState>): void =>
        listener({ connected: state.isWebSocketConnected, generation: state.connectionCount });
      tell(client.client.connectionState());
      return client.client.subscribeToConnectionState(tell);
    },
    close: () => client.close(),
  };
}

function parseClaimed(claimed: Omit<Claimed, "request"> & { readonly request: unknown }): Claimed {
  const { attemptId, jobId, modelId, request, watched } = claimed;
  return { attemptId, jobId, modelId, request: chatRequest.safeParse(request).data ?? null, watched };
}

async function call<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof Error ? deviceError(error) : error;
  }
}

const refusal = z.object({ code: z.string(), message: z.string().optional() });

function deviceError(error: Error): Error {
  if (!(error instanceof ConvexError)) return error;
  const code = refusal.safeParse(error.data).data?.code;
  return code === "unauthorized" || code === "revoked" ? new UnknownDeviceError(code) : error;
}
