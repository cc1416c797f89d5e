import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { ReadinessProbe } from "../../operations/readiness.ts";
import { healthReply, readyReply } from "../admin/operations-routes.ts";
import { refusal, type Reply, sendReply } from "../reply.ts";

export type HoldBounds = {
  /** How many requests wait at a time; their connections and headers are all that is kept of them. */
  readonly count: number;
  /** How long each of them waits. */
  readonly ms: number;
};

export type StartingHandler = {
  /** Answers health checks; everything else waits, within the bounds, and is told to come back beyond them. */
  readonly handle: RequestListener;
  /** Gives those who wait to the listener that answers from now on. */
  readonly handOver: (listener: RequestListener) => void;
  /** Tells those who wait to come back, and from now on everybody at once. */
  readonly giveUp: () => void;
};

const defaultBounds: HoldBounds = { count: 1_000, ms: 5_000 };

/** Who answers while the functions are loaded. A restart is then a delay to most clients, and no error. */
export function startingHandler(
  readiness: ReadinessProbe,
  bounds: HoldBounds = defaultBounds,
): StartingHandler {
  const held = new Map<ServerResponse, Held>();
  let isHolding = true;

  const letGo = (): readonly Held[] => {
    isHolding = false;
    const all = [...held.values()];
    for (const each of all) each.release();
    return all;
  };

  const hold = (request: IncomingMessage, response: ServerResponse): void => {
    const release = (): void => {
      clearTimeout(timer);
      response.off("close", release);
      held.delete(response);
    };
    const timer = setTimeout(() => {
      release();
      sendAndClose(response, comeBack());
    }, bounds.ms);
    // Who has left makes room.
    response.once("close", release);
    held.set(response, { request, response, release });
  };

  return {
    handle: (request, response) => {
      const reply = probeReply(request.url ?? "/", readiness);
      if (reply !== null) sendAndClose(response, reply);
      else if (!isHolding || held.size >= bounds.count || isWebSocket(request)) {
        sendAndClose(response, comeBack());
      } else hold(request, response);
    },
    handOver: (listener) => {
      for (const { request, response } of letGo()) listener(request, response);
    },
    giveUp: () => {
      for (const { response } of letGo()) sendAndClose(response, comeBack());
    },
  };
}

type Held = {
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

/** Clients that are told so try twice, as a rule: that has to last until functions are loaded. */
function comeBack(): Reply {
  return { ...refusal(503, "Starting", "The backend is starting."), headers: { "Retry-After": "2" } };
}

/** No listener can upgrade a connection that came as a request; such clients come back by themselves. */
function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

function sendAndClose(response: ServerResponse, reply: Reply): void {
  response.setHeader("Connection", "close");
  void sendReply(response, reply);
}
