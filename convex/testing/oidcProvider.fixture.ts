import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** A person of the provider. Any password is right. */
export type Person = {
  groups: string[];
  email?: string;
  emailVerified?: boolean;
  /** The provider's administrator has locked the account, or does so before the code is exchanged. */
  revoked?: boolean | "after consent";
};

export const clientId = "gleaner";
export const clientSecret = "a secret of the provider";

export type OidcProvider = {
  readonly issuer: string;
  /** By subject. Tests change them while the provider runs. */
  readonly people: Record<string, Person>;
  readonly close: () => Promise<void>;
};

/** Starts a real OpenID provider on this machine. `claimsInIdToken`: it does not keep them for userinfo. */
export async function startOidcProvider(
  redirectUri: string,
  people: Record<string, Person>,
  { claimsInIdToken = false, refreshTokens = true } = {},
): Promise<OidcProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", ...(refreshTokens ? ["refresh_token"] : [])],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    conformIdTokenClaims: !claimsInIdToken,
    issueRefreshToken: () => refreshTokens,
    pkce: { required: () => true },
    findAccount: ({ oidc }, id) => {
      const person = people[id];
      if (person === undefined || person.revoked === true) return undefined;
      if (person.revoked === "after consent" && oidc.route === "token") return undefined;
      const { groups, email = `${id}@example.org`, emailVerified = true } = person;
      const claims = () => ({ sub: id, name: `Person ${id}`, email, email_verified: emailVerified, groups });
      return { accountId: id, claims };
    },
    features: { devInteractions: { enabled: true } },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => void answer(request, response));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { issuer, people, close };
}

/** Goes through the provider's pages as a browser does. @returns the address to which it sends the browser back. */
export async function throughProvider(page: string, person: string, until: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = new URL(page);
  let form: URLSearchParams | null = null;
  for (let hop = 0; hop < 20; hop++) {
    if (next.href.startsWith(until)) return next.href;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response: Response = await fetch(next, {
      redirect: "manual",
      headers: { cookie },
      signal: AbortSignal.timeout(10_000),
      ...(form === null ? {} : { method: "POST", body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    form = null;
    if (location !== null) {
      next = new URL(location, next);
      continue;
    }
    const html = await response.text();
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) throw new Error(`no form: ${String(response.status)} ${html.slice(0, 300)}`);
    next = new URL(action, next);
    const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1] ?? "";
    form = new URLSearchParams(prompt === "login" ? { prompt, login: person, password: "any" } : { prompt });
  }
  throw new Error("the provider sent the browser around too often");
}
