import * as oauth from "oauth4webapi";
import { isLoopback } from "../../../app/join-command.ts";
import { boundedFetch } from "./boundedFetch.ts";
import { type Identity, identityFrom } from "./identity.ts";

/*
 * The protocol of OpenID Connect. It knows no database, and only actions load it, because of its library.
 */

/** The facts about a provider that the protocol needs. */
export type Provider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly groupsClaim: string;
};

/** Values that bind the provider's answer to one sign-in. */
export type AttemptProofs = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** A person as the provider describes them, and the token with which it can be asked again. */
export type Answer = { readonly identity: Identity; readonly refreshToken: string | null };

/** Only a provider on the backend's own machine may be reached without TLS. */
function optionsFor(issuer: string) {
  return {
    // The library marks it as deprecated to make it stand out.
    // oxlint-disable-next-line typescript/no-deprecated
    [oauth.allowInsecureRequests]: isLoopback(new URL(issuer).origin),
    [oauth.customFetch]: boundedFetch,
  };
}

/** Reads a provider's metadata. Throws if there is no provider with this issuer. */
export async function discover(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, optionsFor(issuer)));
}

/**
 * The provider's page where the member signs in.
 * @param again whether it should ask for the password even if the member is signed in there.
 */
export async function authorizationUrl(
  provider: Provider,
  redirectUri: string,
  proofs: AttemptProofs,
  again: boolean,
): Promise<string> {
  const { authorization_endpoint: endpoint } = await discover(provider.issuer);
  if (endpoint === undefined) throw new Error("The provider names no authorization endpoint.");
  const url = new URL(endpoint);
  const parameters = {
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: provider.scopes,
    state: proofs.state,
    nonce: proofs.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(proofs.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (again) url.searchParams.set("prompt", "login");
  return url.href;
}

/**
 * Trades the code of a callback for the person. The library checks state, issuer, audience, times and nonce, and here the ID
 * token's signature.
 */
export async function answerOf(
  provider: Provider,
  callback: URL,
  redirectUri: string,
  proofs: AttemptProofs,
): Promise<Answer> {
  const options = optionsFor(provider.issuer);
  const server = await discover(provider.issuer);
  const client = { client_id: provider.clientId };
  const parameters = oauth.validateAuthResponse(server, client, callback, proofs.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientSecret(server, provider),
    parameters,
    redirectUri,
    proofs.verifier,
    options,
  );
  const checks = { expectedNonce: proofs.nonce, requireIdToken: true };
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
  await oauth.validateApplicationLevelSignature(server, response, options);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new Error("The provider sent no ID token.");
  return await described(server, provider, tokens, claims);
}

/** Asks the provider about a person again. Null: it does not vouch for them anymore. Throws if it cannot be asked. */
export async function askAgain(
  provider: Provider,
  refreshToken: string,
  subject: string,
): Promise<Answer | null> {
  const options = optionsFor(provider.issuer);
  const server = await discover(provider.issuer);
  const client = { client_id: provider.clientId };
  const secret = clientSecret(server, provider);
  const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options);
  const tokens = await unless(
    oauth.processRefreshTokenResponse(server, client, response),
    (error) => error instanceof oauth.ResponseBodyError && error.error === "invalid_grant",
  );
  if (tokens === null) return null;
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims !== undefined) await oauth.validateApplicationLevelSignature(server, response, options);
  if (claims !== undefined && claims.sub !== subject) return null;
  const answer = await unless(
    described(server, provider, tokens, claims ?? { sub: subject }),
    (error) => error instanceof oauth.WWWAuthenticateChallengeError && error.status === 401,
  );
  return answer === null ? null : { ...answer, refreshToken: answer.refreshToken ?? refreshToken };
}

/** The value; null if it fails with this error. */
async function unless<T>(value: Promise<T>, isExpected: (error: unknown) => boolean): Promise<T | null> {
  try {
    return await value;
  } catch (error) {
    if (isExpected(error)) return null;
    throw error;
  }
}

/** The person of validated claims. Claims that the ID token lacks come from the provider's userinfo. */
async function described(
  server: oauth.AuthorizationServer,
  { issuer, clientId, groupsClaim }: Provider,
  { access_token: accessToken, refresh_token: refreshToken }: oauth.TokenEndpointResponse,
  claims: { readonly sub: string },
): Promise<Answer> {
  const known: Record<string, unknown> = { ...claims };
  const isComplete = known["email"] !== undefined && known[groupsClaim] !== undefined;
  if (!isComplete && server.userinfo_endpoint !== undefined) {
    const client = { client_id: clientId };
    const response = await oauth.userInfoRequest(server, client, accessToken, optionsFor(issuer));
    Object.assign(known, await oauth.processUserInfoResponse(server, client, claims.sub, response));
  }
  return { identity: identityFrom(known, groupsClaim), refreshToken: refreshToken ?? null };
}

function clientSecret(
  server: oauth.AuthorizationServer,
  { clientSecret: secret }: Provider,
): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isBasic = methods.includes("client_secret_basic") || !methods.includes("client_secret_post");
  return isBasic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}
