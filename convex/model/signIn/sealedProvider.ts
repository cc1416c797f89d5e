import type { Answer, Provider } from "./openid.ts";
import { seal, unseal } from "./sealed.ts";

/** The provider with its secret in plain text. Refuses: conflict. */
export function openProvider<Stored extends Provider>(provider: Stored): Stored {
  return { ...provider, clientSecret: unseal(provider.clientSecret, "client secret") };
}

/** An answer as it is stored. */
export function sealAnswer({ identity, refreshToken }: Answer) {
  return {
    identity: { ...identity, groups: [...identity.groups] },
    refreshToken: refreshToken === null ? null : seal(refreshToken, "refresh token"),
  };
}
