import { expect, test } from "vitest";
import { parseAuthConfig } from "./auth-config.ts";
import { describeNoProvider, findProvider } from "./find-provider.ts";

const parse = (...providers: unknown[]) => parseAuthConfig({ providers } as never);
const custom = { type: "customJwt", issuer: "https://a.example", algorithm: "ES256" };
const jwks = '{"keys":[{"kty":"EC"}]}';

test("without auth.config.ts there are no providers", () => {
  expect(parseAuthConfig(null)).toEqual({ kind: "ok", providers: [] });
});

test.each([
  ["https://a.example", "https://a.example"],
  ["https://a.example/", "https://a.example"],
  ["a.example", "https://a.example"],
  ["localhost", "https://localhost"],
  ["http://127.0.0.1:3211", "http://127.0.0.1:3211"],
  ["https://a.example/tenant/v2.0", "https://a.example/tenant/v2.0"],
])("the domain %s is the issuer %s", (domain, issuer) => {
  expect(parse({ domain, applicationID: "app" })).toEqual({
    kind: "ok",
    providers: [{ kind: "oidc", issuer, applicationId: "app" }],
  });
});

test.each([
  ["a list as default export", []],
  ["no providers", {}],
  ["a variable that is not set", { providers: [{ applicationID: "app" }] }],
  ["no application ID", { providers: [{ domain: "a.example" }] }],
  ["a domain that is not a host name", { providers: [{ domain: "foobar123", applicationID: "app" }] }],
  ["a file URL", { providers: [{ domain: "file://a.example", applicationID: "app" }] }],
  ["an unknown kind", { providers: [{ ...custom, type: "saml", jwks: "https://a.example/jwks" }] }],
  ["a shared secret", { providers: [{ ...custom, algorithm: "HS256", jwks: "https://a.example/jwks" }] }],
  ["no signature", { providers: [{ ...custom, algorithm: "none", jwks: "https://a.example/jwks" }] }],
  ["keys from a file", { providers: [{ ...custom, jwks: "file:///etc/keys" }] }],
  ["keys that are not a key set", { providers: [{ ...custom, jwks: "data:text/plain,hello" }] }],
  ["too many providers", { providers: Array(51).fill({ domain: "a.example", applicationID: "app" }) }],
])("auth.config.ts with %s is refused", (_, value) => {
  const parsed = parseAuthConfig(value);
  expect(parsed).toMatchObject({ kind: "invalid", reason: expect.stringContaining("auth.config.ts") });
});

test("a problem is reported with its path in auth.config.ts", () => {
  const parsed = parse({ domain: "a.example", applicationID: "app" }, { domain: "b.example" });
  expect(parsed).toMatchObject({ reason: expect.stringMatching(/providers\[1\]\.applicationID/) });
});

test.each([
  `data:text/plain;charset=utf-8;base64,${Buffer.from(jwks).toString("base64")}`,
  `data:application/json,${encodeURIComponent(jwks)}`,
])("a provider's keys may be given in %s", (url) => {
  expect(parse({ ...custom, jwks: url })).toMatchObject({
    providers: [{ kind: "customJwt", keys: { kind: "inline" }, applicationId: null }],
  });
});

test("the provider is found by issuer, with or without slash and scheme, and by application", () => {
  const parsed = parse(
    { domain: "https://a.example/", applicationID: "one" },
    { domain: "https://a.example", applicationID: "two" },
    { ...custom, issuer: "b.example", jwks: "https://b.example/jwks" },
  );
  const providers = parsed.kind === "ok" ? parsed.providers : [];
  const find = (issuer: string, audiences: string[]) => findProvider(providers, issuer, audiences);
  expect(find("https://a.example", ["one"])).toBe(providers[0]);
  expect(find("https://a.example/", ["x", "two"])).toBe(providers[1]);
  expect(find("a.example", ["two"])).toBe(providers[1]);
  expect(find("b.example", [])).toBe(providers[2]);
  expect(find("https://a.example", [])).toBeNull();
  expect(find("https://a.example//", ["one"])).toBeNull();
  expect(find("https://a.example.evil.example", ["one"])).toBeNull();
  expect(describeNoProvider(providers)).toContain(
    "[OIDC(domain=https://a.example, app_id=one), OIDC(domain=https://a.example, app_id=two), " +
      "CustomJWT(issuer=https://b.example, app_id=none)]",
  );
  expect(describeNoProvider([])).toContain("(no providers configured)");
});
