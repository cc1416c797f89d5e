import type { ConvexClient } from "convex/browser";
import { type Refusal, refusedFor } from "../../app/contract/donor-calls.ts";
import { backendWebSocket } from "../connection/backend-web-socket.ts";
import { type ConnectFailure, connectFailureOf } from "../connection/connect-failure.ts";
import { openClient } from "../donor/organization/organization.ts";
import { errorName, type Log } from "../log.ts";
import type { Server } from "./invited-to.ts";

/** A server answers in milliseconds. This is time for a slow network. */
const answerWithinMs = 15_000;

type Reached = {
  readonly client: ConvexClient;
  /** Resolves if the server cannot be reached, with words for the person, and in any case once an answer is late. */
  readonly failed: Promise<Refusal>;
  readonly close: () => void;
};

/** Connects to a server that this computer has not joined. With a pin, only a server with that key is told anything. */
export function reachServer({ url, pin }: Server, log: Log): Reached {
  const failed = Promise.withResolvers<Refusal>();
  const timer = setTimeout(() => failed.resolve(refusedFor("no-answer", new URL(url).host)), answerWithinMs);
  const client = openClient(
    url,
    backendWebSocket(pin, (error) => {
      if (error === null) return;
      log("warn", "first-run.not-reached", { error: errorName(error) });
      failed.resolve(refusalOf(connectFailureOf(error), new URL(url).host));
    }),
  );
  return {
    client,
    failed: failed.promise,
    close: () => {
      clearTimeout(timer);
      void client.close();
    },
  };
}

function refusalOf(failure: ConnectFailure, server: string): Refusal {
  switch (failure.kind) {
    case "wrong-key":
      return refusedFor("invited-wrong-key", server);
    case "untrusted":
      return refusedFor("invited-untrusted", server);
    case "other-name":
      return refusedFor("invited-other-name", server);
    case "expired":
      return refusedFor("invited-expired", server);
    case "not-yet-valid":
      return refusedFor("invited-not-yet-valid", server);
    case "no-backend":
      return refusedFor("invited-no-backend", server, failure.because);
    case "unreachable":
      return refusedFor("invited-unreachable", server, failure.because);
  }
}
