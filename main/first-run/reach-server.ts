import type { ConvexClient } from "convex/browser";
import { type Refusal, refused } from "../../app/contract/donor-calls.ts";
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
  const timer = setTimeout(() => failed.resolve(refused(noAnswer(url))), answerWithinMs);
  const client = openClient(
    url,
    backendWebSocket(pin, (error) => {
      if (error === null) return;
      log("warn", "first-run.not-reached", { error: errorName(error) });
      failed.resolve(refused(failureWords(connectFailureOf(error), url)));
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

function noAnswer(url: string): string {
  return `${new URL(url).host} did not answer. Check the network and the address, and try again.`;
}

function failureWords(failure: ConnectFailure, url: string): string {
  const server = new URL(url).host;
  const askForLink = "Ask your administrator for a new invitation link.";
  switch (failure.kind) {
    case "wrong-key":
      return (
        `${server} is not the server that the invitation names, or somebody is in between. Nothing was sent to it. ` +
        "Tell your administrator."
      );
    case "untrusted":
      return (
        `This computer cannot tell whether ${server} is the right server, so nothing was sent to it. ` +
        "Use the invitation link instead of the address: it proves the server."
      );
    case "other-name":
      return `The certificate of ${server} is for another name, so nothing was sent to it. ${askForLink}`;
    case "expired":
      return `The certificate of ${server} ${failure.because}. Check this computer's clock, or tell your administrator.`;
    case "no-backend":
      return `${server} answers, but it is not a Gleaner server: ${failure.because}. Check the address and its port.`;
    case "unreachable":
      return `${server} cannot be reached: ${failure.because}. Check the network and the address, and try again.`;
  }
}
