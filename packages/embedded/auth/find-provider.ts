import { assertNever } from "../values/assert-never.ts";
import { type AuthProvider, withoutSlash } from "./auth-config.ts";

/** The first provider of whom a token can be: of its issuer, and for its application if it names one. */
export function findProvider(
  providers: readonly AuthProvider[],
  issuer: string,
  audiences: readonly string[],
): AuthProvider | null {
  const url = withoutSlash(withScheme(issuer));
  const found = providers.find(
    (provider) =>
      provider.issuer === url &&
      (provider.applicationId === null || audiences.includes(provider.applicationId)),
  );
  return found ?? null;
}

/** Says, in Convex's words, which providers there would have been. */
export function describeNoProvider(providers: readonly AuthProvider[]): string {
  const start = "No auth provider found matching the given token";
  if (providers.length === 0) return `${start} (no providers configured). Check convex/auth.config.ts.`;
  const list = providers.map(describe).join(", ");
  return `${start}. Check that your JWT's issuer and audience match one of your configured providers: [${list}]`;
}

function describe(provider: AuthProvider): string {
  switch (provider.kind) {
    case "oidc":
      return `OIDC(domain=${provider.issuer}, app_id=${provider.applicationId})`;
    case "customJwt":
      return `CustomJWT(issuer=${provider.issuer}, app_id=${provider.applicationId ?? "none"})`;
    default:
      return assertNever(provider);
  }
}

/** The issuers of some providers' tokens have none. */
function withScheme(issuer: string): string {
  return /^https?:\/\//.test(issuer) ? issuer : `https://${issuer}`;
}
