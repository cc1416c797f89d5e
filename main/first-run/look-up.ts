import type { FunctionReturnType } from "convex/server";
import { ok, refusedFor, type Reply } from "../../app/contract/donor-calls.ts";
import type { InvitationAnswer } from "../../app/contract/invitation.ts";
import { visibleText } from "../../app/format/visible.ts";
import { isLoopback } from "../../app/join-command.ts";
import { keyFingerprint } from "../../app/signatures/catalog.ts";
import { api } from "../../convex/_generated/api.js";
import { errorName, type Log } from "../log.ts";
import type { InvitedTo } from "./invited-to.ts";
import { reachServer } from "./reach-server.ts";

type Found = Extract<InvitationAnswer, { kind: "found" }>;

/**
 * Asks a server which organization a code is for, over a connection that the invitation's pin proves. Never rejects: a failure
 * is a refusal with words for the person.
 */
export async function lookUp(to: InvitedTo, log: Log): Promise<Reply<Found>> {
  const { client, failed, close } = reachServer(to, log);
  try {
    const asked = client.mutation(api.devices.invitation, { code: to.code });
    return await Promise.race([
      asked.then(
        (answer) => replyTo(answer, to),
        (error: unknown) => {
          log("warn", "first-run.refused", { error: errorName(error) });
          return refusedFor("look-up-refused");
        },
      ),
      failed,
    ]);
  } finally {
    close();
  }
}

function replyTo(
  answer: FunctionReturnType<typeof api.devices.invitation>,
  { url, pin }: InvitedTo,
): Reply<Found> {
  if (answer.kind === "refused") return refusedFor(answer.reason);
  const { organization, organizationKey, needsApproval, owner } = answer;
  return ok({
    kind: "found",
    organization: visibleText(organization),
    server: new URL(url).host,
    keyFingerprint: organizationKey === null ? null : keyFingerprint(organizationKey),
    proof: proofOf(url, pin),
    needsApproval,
    // An older backend does not say it.
    owner: typeof owner === "string" ? visibleText(owner) : null,
  });
}

function proofOf(url: string, pin: InvitedTo["pin"]): Found["proof"] {
  if (pin !== null) return "pinned-key";
  if (url.startsWith("https:")) return "authority";
  return isLoopback(url) ? "this-computer" : "none";
}
