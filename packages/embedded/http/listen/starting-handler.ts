import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { ReadinessProbe } from "../../operations/readiness.ts";
import { healthReply, readyReply } from "../admin/operations-routes.ts";
import { refusal, type Reply, sendReply } from "../reply.ts";

export type WaitLimits = {
  /** Number of requests that may wait at a time. Only their connections and headers are kept. */
  readonly count: number;
  /** Longest wait in ms. */
  readonly ms: number;
};

type StartingHandler = {
  /** Answers health checks. All other requests wait within the limits; beyond them they are told to retry. */
  readonly handle: RequestListener;
  /** Passes waiting requests to the listener that answers from now on. */
  readonly handOver: (listener: RequestListener) => void;
  /** Tells waiting and all later requests to retry. */
  readonly giveUp: () => void;
};

const defaultLimits: WaitLimits = { count: 1_000, ms: 5_000 };

/** Handles requests while the functions are loading, so that most clients see a restart as a delay, not an error. */
export function startingHandler(
  readiness: ReadinessProbe,
  limits: WaitLimits = defaultLimits,
): StartingHandler {
  const waiting = new Map<ServerResponse, WaitingRequest>();
  let isStarting = true;

  const releaseAll = (): readonly WaitingRequest[] => {
    isStarting = false;
    const all = [...waiting.values()];
    for (const each of all) each.release();
    return all;
  };

  const keep = (request: IncomingMessage, response: ServerResponse): void => {
    const release = (): void => {
      clearTimeout(timer);
      response.off("close", release);
      waiting.delete(response);
    };
    const timer = setTimeout(() => {
      release();
      sendAndClose(response, retryLaterReply());
    }, limits.ms);
    // A client that left makes room.
    response.once("close", release);
    waiting.set(response, { request, response, release });
  };

  return {
    handle: (request, response) => {
      const reply = probeReply(request.url ?? "/", readiness);
      if (reply !== null) sendAndClose(response, reply);
      else if (!isStarting || waiting.size >= limits.count || isWebSocket(request)) {
        sendAndClose(response, retryLaterReply());
      } else keep(request, response);
    },
    handOver: (listener) => {
      for (const { request, response } of releaseAll()) listener(request, response);
    },
    giveUp: () => {
      for (const { response } of releaseAll()) sendAndClose(response, retryLaterReply());
    },
  };
}

type WaitingRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly release: () => void;
};

function probeReply(url: string, readiness: ReadinessProbe): Reply | null {
  switch (url.split("?", 1)[0]) {
    case "/health":
      return healthReply();
    case "/ready":
      return readyReply(readiness);
    default:
      return null;
  }
}

/** Most clients retry twice; the delay must suffice for loading the functions. */
function retryLaterReply(): Reply {
  return { ...refusal(503, "Starting", "The backend is starting."), headers: { "Retry-After": "2" } };
}

/** A waiting request cannot be upgraded later; WebSocket clients reconnect by themselves. */
function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

function sendAndClose(response: ServerResponse, reply: Reply): void {
  response.setHeader("Connection", "close");
  void sendReply(response, reply);
}
