import { SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parseAuthConfig } from "./auth-config.ts";
import { fetchDocument } from "./fetch-document.ts";
import { type Issuer, startIssuer } from "./issuer.fixture.ts";
import { freshMs, retryAfterMs, staleMs, unknownKeyRetryMs } from "./key-refresh.ts";
import { TokenVerifier } from "./token-verifier.ts";

let issuer: Issuer;
let now: number;

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());
beforeEach(() => {
  now = Date.now();
  issuer.answer = null;
});

const seconds = (): number => Math.floor(now / 1000);

function verifier(...providers: unknown[]): TokenVerifier {
  const parsed = parseAuthConfig({ providers } as never);
  if (parsed.kind === "invalid") throw new Error(parsed.reason);
  return new TokenVerifier(parsed.providers, (url) => fetchDocument(url, 500), {
    wall: () => now,
    steady: () => now,
  });
}

const oidc = () => ({ domain: issuer.url, applicationID: "fixture" });
const custom = (more = {}) => ({
  type: "customJwt",
  issuer: issuer.url,
  jwks: `${issuer.url}/jwks`,
  algorithm: "ES256",
  ...more,
});

test.each(["RS256", "EdDSA"] as const)(
  "an ID token signed with %s identifies its user until it expires",
  async (algorithm) => {
    const exp = seconds() + 600;
    const token = await issuer.sign({ sub: "ann", name: "Ann", exp }, { algorithm });
    expect(await verifier(oidc()).verify(token)).toEqual({
      kind: "verified",
      attributes: { tokenIdentifier: `${issuer.url}|ann`, subject: "ann", issuer: issuer.url, name: "Ann" },
      expiresAt: exp * 1000,
    });
  },
);

test("a custom JWT is verified with keys from a URL and with inline keys", async () => {
  const token = await issuer.sign({ aud: undefined, team: { id: 7 } }, { algorithm: "ES256" });
  const inline = `data:application/json,${encodeURIComponent(JSON.stringify(issuer.jwks()))}`;
  for (const provider of [custom(), custom({ jwks: inline })]) {
    expect(await verifier(provider).verify(token)).toMatchObject({
      kind: "verified",
      attributes: { subject: "ann", "team.id": 7 },
    });
  }
});

test.each([
  ["a text", () => "glk_0123456789", "InvalidAuthHeader"],
  ["three words", () => "a.b.c", "InvalidAuthHeader"],
  ["an overlong text", () => `a.${"b".repeat(70_000)}.c`, "InvalidAuthHeader"],
  ["a token without issuer", () => issuer.sign({ iss: undefined }), "InvalidAuthHeader"],
  ["another issuer", () => issuer.sign({ iss: "https://evil.example" }), "NoAuthProvider"],
  ["another application", () => issuer.sign({ aud: "other" }), "NoAuthProvider"],
  ["several applications", () => issuer.sign({ aud: ["fixture", "other"] }), "Unauthenticated"],
  ["an expired token", () => issuer.sign({ exp: seconds() }), "Unauthenticated"],
  ["a token without expiry", () => issuer.sign({ exp: undefined }), "Unauthenticated"],
  ["a token without issue time", () => issuer.sign({ iat: undefined }), "Unauthenticated"],
  ["a token that is not valid yet", () => issuer.sign({ nbf: seconds() + 60 }), "Unauthenticated"],
  ["a token without subject", () => issuer.sign({ sub: undefined }), "Unauthenticated"],
  [
    "an algorithm that ID tokens may not have",
    () => issuer.sign({}, { algorithm: "ES256" }),
    "Unauthenticated",
  ],
  ["an unknown key", () => issuer.sign({}, { kid: "RS256-999" }), "Unauthenticated"],
  ["a claim of a wrong type", () => issuer.sign({ email_verified: "yes" }), "InvalidAuthHeader"],
])("an ID token is refused: %s", async (_, token, code) => {
  expect(await verifier(oidc()).verify(await token())).toMatchObject({ kind: "refused", code });
});

test.each([
  ["another algorithm than configured", () => issuer.sign({}, { algorithm: "RS256" })],
  ["an expired token", () => issuer.sign({ exp: seconds() - 6 }, { algorithm: "ES256" })],
  ["a token without expiry", () => issuer.sign({ exp: undefined }, { algorithm: "ES256" })],
  ["a token without key id", () => issuer.sign({}, { algorithm: "ES256", kid: null })],
  ["a token that is not valid yet", () => issuer.sign({ nbf: seconds() + 6 }, { algorithm: "ES256" })],
  ["a token of the future", () => issuer.sign({ iat: seconds() + 6 }, { algorithm: "ES256" })],
  ["an issue time that is no number", () => issuer.sign({ iat: "now" }, { algorithm: "ES256" })],
])("a custom JWT is refused: %s", async (_, token) => {
  expect(await verifier(custom()).verify(await token())).toMatchObject({
    kind: "refused",
    code: "InvalidAuthHeader",
  });
});

test("unsigned tokens and shared secrets are never accepted", async () => {
  const claims = { iss: issuer.url, aud: "fixture", sub: "ann", iat: seconds(), exp: seconds() + 60 };
  const publicKey = Buffer.from(String(issuer.jwks().keys[0]?.n));
  const forged = await new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", kid: "RS256-1" })
    .sign(publicKey);
  const unsigned = new UnsecuredJWT(claims).encode();
  const genuine = await issuer.sign({});
  const altered = genuine.replace(/\.[^.]+\./, `.${unsigned.split(".")[1] ?? ""}.`);
  for (const provider of [oidc(), custom()]) {
    for (const token of [forged, unsigned, altered]) {
      expect(await verifier(provider).verify(token)).toMatchObject({ kind: "refused" });
    }
  }
});

test("a custom JWT may expire up to five seconds ago, and begin in up to five seconds", async () => {
  const claims = { exp: seconds() - 3, nbf: seconds() + 4, iat: seconds() + 4 };
  const token = await issuer.sign(claims, { algorithm: "ES256" });
  expect(await verifier(custom()).verify(token)).toMatchObject({ kind: "verified" });
});

test("concurrent callers share one fetch of the keys, and old keys are fetched again", async () => {
  const tokens = verifier(oidc());
  const token = await issuer.sign({ exp: seconds() + 3600 });
  const before = issuer.asked();
  await Promise.all([tokens.verify(token), tokens.verify(token), tokens.verify(token)]);
  await tokens.verify(token);
  expect(issuer.asked() - before).toBe(1);
  now += freshMs;
  await tokens.verify(token);
  expect(issuer.asked() - before).toBe(2);
});

test("new keys are found, but made-up ones do not flood the issuer with requests", async () => {
  const tokens = verifier(oidc());
  await tokens.verify(await issuer.sign({}));
  const before = issuer.asked();
  now += unknownKeyRetryMs;
  await issuer.rotate();
  expect(await tokens.verify(await issuer.sign({}))).toMatchObject({ kind: "verified" });
  expect(issuer.asked() - before).toBe(1);
  for (const kid of ["a", "b", "c"]) {
    expect(await tokens.verify(await issuer.sign({}, { kid }))).toMatchObject({ kind: "refused" });
  }
  expect(issuer.asked() - before).toBe(1);
});

test("while the issuer is down, known keys stay valid for a day; without keys the result is `unavailable`", async () => {
  const token = await issuer.sign({ exp: seconds() + 7 * 86_400 });
  const tokens = verifier(oidc());
  expect(await tokens.verify(token)).toMatchObject({ kind: "verified" });
  issuer.answer = (response) => response.writeHead(503).end();
  now += freshMs;
  expect(await tokens.verify(token)).toMatchObject({ kind: "verified" });
  now += staleMs;
  expect(await tokens.verify(token)).toMatchObject({
    kind: "unavailable",
    code: "AuthProviderDiscoveryFailed",
  });
  issuer.answer = null;
  expect(await tokens.verify(token)).toMatchObject({ kind: "unavailable" });
  now += retryAfterMs;
  expect(await tokens.verify(token)).toMatchObject({ kind: "verified" });
});

const json = { "Content-Type": "application/json" };
test.each([
  ["an error", (response) => response.writeHead(500).end(), "HTTP 500"],
  [
    "a redirect",
    (response) => response.writeHead(302, { Location: "http://169.254.169.254/" }).end(),
    "HTTP 302",
  ],
  ["a page", (response) => response.writeHead(200, { "Content-Type": "text/html" }).end("{}"), "text/html"],
  ["JSON of another kind", (response) => response.writeHead(200, json).end("[]"), "metadata"],
  ["too many bytes", (response) => response.writeHead(200, json).end(" ".repeat(300_000)), "bytes"],
  ["no answer", () => undefined, "could not be fetched"],
  [
    "another issuer",
    (response) =>
      response.writeHead(200, json).end('{"issuer":"https://b.example","jwks_uri":"https://b.example"}'),
    "of the issuer https://b.example",
  ],
  [
    "keys in a file",
    (response) =>
      response.writeHead(200, json).end(`{"issuer":"${issuer.url}","jwks_uri":"file:///etc/passwd"}`),
    "metadata",
  ],
] satisfies [string, NonNullable<Issuer["answer"]>, string][])(
  "an issuer that answers with %s is unavailable",
  async (_, answer, reason) => {
    issuer.answer = answer;
    expect(await verifier(oidc()).verify(await issuer.sign({}))).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(reason),
    });
  },
);
