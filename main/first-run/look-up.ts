import type { FunctionReturnType } from "convex/server";
import { ok, refused, type Reply } from "../../app/contract/donor-calls.ts";
import type { InvitationAnswer } from "../../app/contract/invitation.ts";
import { visibleText } from "../../app/format/visible.ts";
import { isLoopback } from "../../app/join-command.ts";
import { keyFingerprint } from "../../app/signatures/catalog.ts";
import { api } from "../../convex/_generated/api.js";
import { backendWebSocket } from "../connection/backend-web-socket.ts";
import { type ConnectFailure, connectFailureOf } from "../connection/connect-failure.ts";
import { refusedCodeWords } from "../donor/organization/enrollment.ts";
import { openClient } from "../donor/organization/organization.ts";
import { errorName, type Log } from "../log.ts";
import type { InvitedTo } from "./invited-to.ts";

type Found = Extract<InvitationAnswer, { kind: "found" }>;

/** A server answers in milliseconds. This is time for a slow network. */
const answerWithinMs = 15_000;

/**
 * Asks a server which organization a code is for, over a connection that the invitation's pin proves. Never rejects: a failure
 * is a refusal with words for the person.
 */
export async function lookUp(to: InvitedTo, log: Log): Promise<Reply<Found>> {
  let fail: (reply: Reply<Found>) => void = () => undefined;
  const failed = new Promise<Reply<Found>>((resolve) => (fail = resolve));
  const timer = setTimeout(() => fail(refused(noAnswer(to.url))), answerWithinMs);
  const client = openClient(
    to.url,
    backendWebSocket(to.pin, (error) => {
      if (error === null) return;
      log("warn", "first-run.not-reached", { error: errorName(error) });
      fail(refused(failureWords(connectFailureOf(error), to.url)));
    }),
  );
  try {
    const asked = client.mutation(api.devices.invitation, { code: to.code });
    return await Promise.race([
      asked.then(
        (answer) => replyTo(answer, to),
        (error: unknown) => {
          log("warn", "first-run.refused", { error: errorName(error) });
          return refused("The server refused to look the code up. Try again in a minute.");
        },
      ),
      failed,
    ]);
  } finally {
    clearTimeout(timer);
    void client.close();
  }
}

function replyTo(
  answer: FunctionReturnType<typeof api.devices.invitation>,
  { url, pin }: InvitedTo,
): Reply<Found> {
  if (answer.kind === "refused") return refused(refusedCodeWords[answer.reason]);
  const { organization, organizationKey, needsApproval } = answer;
  return ok({
    kind: "found",
    organization: visibleText(organization),
    server: new URL(url).host,
    keyFingerprint: organizationKey === null ? null : keyFingerprint(organizationKey),
    proof: proofOf(url, pin),
    needsApproval,
  });
}

function proofOf(url: string, pin: InvitedTo["pin"]): Found["proof"] {
  if (pin !== null) return "pinned-key";
  if (url.startsWith("https:")) return "authority";
  return isLoopback(url) ? "this-computer" : "none";
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
