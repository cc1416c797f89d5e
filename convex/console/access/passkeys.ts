import { type Infer, v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import { action, type ActionCtx } from "../../_generated/server.js";
import { memberAction } from "../../model/memberCalls.ts";
import type { refusedPasskey } from "../../model/passkeys/stored.ts";
import {
  assertion,
  assertionOptions,
  challengeIn,
  registration,
  registrationOptions,
  verifiedCounter,
  verifiedRegistration,
} from "../../model/passkeys/webauthn.ts";
import { signedIn } from "../../model/people/signIn.ts";
import { refuse } from "../../model/refuse.ts";
import { consoleOrigin } from "../../model/signIn/addresses.ts";
import { randomSecret } from "../../model/signIn/randomSecret.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** A passkey is a second factor, so a session that lacks one may add and use it. */
const setup = { beforeSecondFactor: true } as const;

const challenge = { challenge: v.string(), timeout: v.number() };
const key = { type: v.literal("public-key") };
const required = v.literal("required");

/** Begins to add a passkey. `page`: the console's address. @returns what the browser's function takes. Refuses: invalid, proof_needed. */
export const beginAdd = memberAction(
  "account",
  setup,
)({
  args: { page: v.string() },
  returns: v.object({
    ...challenge,
    rp: v.object({ id: v.string(), name: v.string() }),
    user: v.object({ id: v.string(), name: v.string(), displayName: v.string() }),
    pubKeyCredParams: v.array(v.object({ alg: v.number(), ...key })),
    attestation: v.literal("none"),
    excludeCredentials: v.array(v.object({ id: v.string(), ...key })),
    authenticatorSelection: v.object({
      residentKey: required,
      requireResidentKey: v.boolean(),
      userVerification: required,
    }),
  }),
  handler: async (ctx, { session, page }): Promise<ReturnType<typeof registrationOptions>> => {
    const asked = { origin: consoleOrigin(page), challenge: randomSecret() };
    const { known, ...user } = await ctx.runMutation(internal.access.passkeys.beginAdd, {
      session,
      ...asked,
    });
    return registrationOptions(asked.origin, asked.challenge, user, known);
  },
});

/** Adds the passkey that the browser has made. Refuses: invalid, conflict, proof_needed. */
export const add = memberAction(
  "account",
  setup,
)({
  args: { name: v.string(), registration },
  returns: v.null(),
  handler: async (ctx, { session, name, registration: given }): Promise<null> => {
    const signed = challengeIn(given.clientDataJSON);
    const origin = await ctx.runMutation(internal.access.passkeys.takeOwn, { session, challenge: signed });
    if (origin === null) return refuse("invalid", "This took too long. Try again.");
    const verified = await verifiedRegistration(given, { origin, challenge: signed });
    return await ctx.runMutation(internal.access.passkeys.add, { session, name, ...verified });
  },
});

/** Begins a sign-in or a proof. `page`: the console's address. Refuses: invalid, rate_limited. */
export const begin = action({
  args: { page: v.string() },
  returns: v.object({ ...challenge, rpId: v.string(), userVerification: required }),
  handler: async (ctx, { page }): Promise<ReturnType<typeof assertionOptions>> => {
    const asked = { origin: consoleOrigin(page), challenge: randomSecret() };
    await ctx.runMutation(internal.access.passkeys.begin, asked);
    return assertionOptions(asked.origin, asked.challenge);
  },
});

const outcome = v.union(
  v.object({ kind: v.literal("signed-in"), ...signedIn.fields }),
  v.object({ kind: v.literal("refused"), reason: v.literal("unknown-passkey") }),
);

const unknownPasskey: Infer<typeof outcome> = { kind: "refused", reason: "unknown-passkey" };

/** Signs in the member whose passkey has signed. It is both factors. The browser made the secret `session`. Refuses: invalid. */
export const signIn = action({
  args: { assertion, session: v.string(), agent: v.optional(v.string()) },
  returns: outcome,
  handler: async (ctx, { assertion: given, ...begun }): Promise<Infer<typeof outcome>> => {
    const used = await usedPasskey(ctx, given);
    if ("refused" in used) {
      await ctx.runMutation(internal.access.passkeys.noteRefused, used);
      return unknownPasskey;
    }
    const started = await ctx.runMutation(internal.access.passkeys.finishSignIn, { ...used, ...begun });
    return started === null ? unknownPasskey : { kind: "signed-in", ...started };
  },
});

/** Proves again who the member is. @returns whether the passkey is theirs. Refuses: invalid. */
export const prove = memberAction(
  "account",
  setup,
)({
  args: { assertion },
  returns: v.boolean(),
  handler: async (ctx, { session, assertion: given }): Promise<boolean> => {
    const used = await usedPasskey(ctx, given);
    if ("refused" in used) {
      await ctx.runMutation(internal.access.passkeys.noteRefusedProof, { session, refused: used.refused });
      return false;
    }
    return await ctx.runMutation(internal.access.passkeys.finishProof, { session, ...used });
  },
});

/** The passkey that has signed a challenge of ours, and its counter then; or why it is refused. */
async function usedPasskey(
  ctx: ActionCtx,
  given: Infer<typeof assertion>,
): Promise<{ passkeyId: Id<"passkeys">; counter: number } | Infer<typeof refusedPasskey>> {
  const signed = challengeIn(given.clientDataJSON);
  const found = await ctx.runMutation(internal.access.passkeys.take, {
    challenge: signed,
    credentialId: given.id,
  });
  if (found.refused !== undefined) return found;
  const { passkeyId, origin, ...passkey } = found;
  const counter = await verifiedCounter(given, passkey, { origin, challenge: signed });
  return counter === null ? { passkeyId, refused: "wrong-signature" } : { passkeyId, counter };
}
