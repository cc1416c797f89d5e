import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReadinessProbe } from "../operations/readiness.ts";
import { healthReply, readyReply } from "./operations-routes.ts";
import { refusal, sendReply, type Reply } from "./reply.ts";

/** Answers while the functions are loaded: the process is alive, and everything else is to come back. */
export function startingHandler(readiness: ReadinessProbe) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader("Connection", "close");
    void sendReply(response, replyTo(request.url ?? "/", readiness));
  };
}

function replyTo(url: string, readiness: ReadinessProbe): Reply {
  switch (url.split("?", 1)[0]) {
    case "/health":
      return healthReply();
    case "/ready":
      return readyReply(readiness);
    default:
      // Clients that are told so try twice, as a rule: that has to last until functions are loaded.
      return { ...refusal(503, "Starting", "The backend is starting."), headers: { "Retry-After": "2" } };
  }
}
