import { v } from "convex/values";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import { action } from "../../_generated/server.js";
import { memberAction } from "../../model/memberCalls.ts";
import { boundedText, refuse } from "../../model/refuse.ts";
import { consoleOrigin, redirectUri } from "../../model/signIn/addresses.ts";
import { authorizationUrl, discover } from "../../model/signIn/openid.ts";
import { checkedSettings, maxSecretChars } from "../../model/signIn/providers.ts";
import { randomSecret } from "../../model/signIn/randomSecret.ts";
import { seal } from "../../model/signIn/sealed.ts";
import { openProvider } from "../../model/signIn/sealedProvider.ts";
import { providerSettings } from "../../model/validators/people.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/**
 * Begins a sign-in, or a proof of the member who has the session already. The browser made `session`, and keeps it until it
 * comes back to `returnTo`. @returns the provider's page. Refuses: invalid, not_found, rate_limited.
 */
export const begin = action({
  args: { providerId: v.id("ssoProviders"), session: v.string(), returnTo: v.string() },
  returns: v.object({ url: v.string() }),
  handler: async (ctx, { providerId, session, returnTo }): Promise<{ url: string }> => {
    consoleOrigin(returnTo);
    const proofs = { state: randomSecret(), nonce: randomSecret(), verifier: randomSecret() };
    const attempt = { providerId, session, returnTo, ...proofs };
    const { provider, isProof } = await ctx.runMutation(internal.access.signIn.begin, attempt);
    try {
      return { url: await authorizationUrl(openProvider(provider), redirectUri(), proofs, isProof) };
    } catch (error) {
      return unreachable(error);
    }
  },
});

/**
 * Adds (null) or changes a provider, after its metadata was read. A change without a secret keeps the earlier one. Refuses:
 * invalid, not_found, conflict, proof_needed.
 */
export const save = memberAction("sign-in.change")({
  args: {
    providerId: v.union(v.id("ssoProviders"), v.null()),
    settings: providerSettings,
    clientSecret: v.optional(v.string()),
  },
  returns: v.object({ providerId: v.id("ssoProviders") }),
  handler: async (
    ctx,
    { session, providerId, settings: given, clientSecret: secret },
  ): Promise<{ providerId: Id<"ssoProviders"> }> => {
    await ctx.runMutation(internal.access.signIn.checkProvider, { session, providerId });
    const settings = checkedSettings(given);
    await discover(settings.issuer).catch(unreachable);
    const clientSecret =
      secret === undefined ? null : seal(boundedText(secret, "The secret", maxSecretChars), "client secret");
    const stored = { session, providerId, settings, clientSecret };
    return { providerId: await ctx.runMutation(internal.access.signIn.storeProvider, stored) };
  },
});

function unreachable(error: unknown): never {
  console.error(`A provider's metadata could not be read: ${error instanceof Error ? error.message : ""}`);
  return refuse(
    "conflict",
    "There is no working OpenID provider at this issuer. Check the address, and that the server can reach it.",
  );
}
