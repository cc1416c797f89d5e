/** The issuer for the deployment under test: the one of packages/embedded/auth/issuer.fixture.ts, if reachable. */
const url = process.env["FIXTURE_ISSUER"] ?? "none";

export const issuer = {
  url,
  isKnown: url !== "none",
  /** Fetches a token for the test app: of ann and for one hour, unless `claims` differ. */
  token: async (claims: { readonly [claim: string]: unknown } = {}): Promise<string> => {
    const response = await fetch(`${url}/token`, { method: "POST", body: JSON.stringify(claims) });
    if (!response.ok) throw new Error(`${url}/token answered ${String(response.status)}`);
    return await response.text();
  },
};

/** Returns the `exp` of a token that expires in some seconds. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}
