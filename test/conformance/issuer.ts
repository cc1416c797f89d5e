/** The issuer for the deployment under test: the one of packages/embedded/auth/issuer.fixture.ts, if reachable. */
const url = process.env["FIXTURE_ISSUER"] ?? "none";

type Claims = { readonly [claim: string]: unknown };

async function signed(path: string, claims: Claims): Promise<string> {
  const response = await fetch(`${url}/${path}`, { method: "POST", body: JSON.stringify(claims) });
  if (!response.ok) throw new Error(`${url}/${path} answered ${String(response.status)}`);
  return await response.text();
}

export const issuer = {
  url,
  isKnown: url !== "none",
  /** Fetches a token for the test app: of ann and for one hour, unless `claims` differ. */
  token: (claims: Claims = {}) => signed("token", claims),
  /** The same as a custom JWT, whose issuer is another. */
  customToken: (claims: Claims = {}, path: "custom-token" | "custom-token/no-kid" = "custom-token") =>
    signed(path, { iss: `${url}/custom`, ...claims }),
};

/** Returns the `exp` of a token that expires in some seconds. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}
