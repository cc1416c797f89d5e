import { generateKeyPairSync } from "node:crypto";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { PublishedApp, reference } from "./published-app.ts";

const app = new PublishedApp("auth");

type Tokens = { readonly token: string; readonly refreshToken: string };
type SignedIn = { readonly tokens?: Tokens | null };

beforeAll(async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwks = { keys: [{ use: "sig", ...publicKey.export({ format: "jwk" }) }] };
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString().trimEnd().replaceAll("\n", " ");
  await app.convex("env", "set", "JWT_PRIVATE_KEY", "--", pem);
  await app.convex("env", "set", "JWKS", JSON.stringify(jwks));
  await app.convex("env", "set", "SITE_URL", "http://127.0.0.1:5173");
});

async function withPassword(flow: "signUp" | "signIn", email: string, password: string): Promise<Tokens> {
  const params = { flow, email, password };
  const { tokens } = (await app.action("auth:signIn", { provider: "password", params })) as SignedIn;
  if (tokens === undefined || tokens === null) throw new Error("No tokens");
  return tokens;
}

const me = (token?: string) => app.query("users:me", {}, app.httpClient(token));

test("a user signs up, and queries know the user by the token", async () => {
  const { token } = await withPassword("signUp", "ann@example.com", "correct horse");
  expect(await me(token)).toEqual({ email: "ann@example.com", issuer: app.siteUrl, isSubject: true });
  expect(await me()).toBeNull();
  expect(await app.query("auth:isAuthenticated", {}, app.httpClient(token))).toBe(true);
});

test("a user signs in with the right password only", async () => {
  await withPassword("signUp", "bob@example.com", "a long password");
  const { token } = await withPassword("signIn", "bob@example.com", "a long password");
  expect(await me(token)).toMatchObject({ email: "bob@example.com" });
  await expect(withPassword("signIn", "bob@example.com", "wrong password")).rejects.toThrow("InvalidSecret");
  await expect(withPassword("signIn", "nobody@example.com", "a long password")).rejects.toThrow(
    "InvalidAccountId",
  );
  await expect(withPassword("signUp", "short@example.com", "short")).rejects.toThrow("Invalid password");
});

test("React's client signs in, and signs out: its queries follow", async () => {
  const { token } = await withPassword("signUp", "cleo@example.com", "another password");
  const client = app.reactClient();
  const watch = client.watchQuery(reference<"query">("users:me"), {});
  onTestFinished(watch.onUpdate(() => undefined));
  const seen = () => watch.localQueryResult();
  await expect.poll(seen).toBeNull();
  client.setAuth(() => Promise.resolve(token));
  await expect.poll(seen).toMatchObject({ email: "cleo@example.com" });
  const say = () => client.mutation(reference<"mutation">("users:say"), { text: "hello" });
  await say();
  expect(await app.query("users:mine", {}, app.httpClient(token))).toEqual(["hello"]);
  await client.action(reference<"action">("auth:signOut"), {});
  client.clearAuth();
  await expect.poll(seen).toBeNull();
  await expect(say()).rejects.toThrow("Not signed in");
});

test("a refresh token gives new tokens, and none after sign-out", async () => {
  const first = await withPassword("signUp", "dora@example.com", "fourth password");
  const refresh = async (refreshToken: string) =>
    ((await app.action("auth:signIn", { refreshToken })) as SignedIn).tokens;
  const second = (await refresh(first.refreshToken))!;
  expect(second.refreshToken).not.toBe(first.refreshToken);
  expect(await me(second.token)).toMatchObject({ email: "dora@example.com" });
  await app.action("auth:signOut", {}, app.httpClient(second.token));
  expect(await refresh(second.refreshToken)).toBeNull();
});

test("the app publishes its keys as an OpenID issuer", async () => {
  const configuration = await fetch(`${app.siteUrl}/.well-known/openid-configuration`);
  expect(await configuration.json()).toMatchObject({
    issuer: app.siteUrl,
    jwks_uri: `${app.siteUrl}/.well-known/jwks.json`,
  });
  const { keys } = (await (await fetch(`${app.siteUrl}/.well-known/jwks.json`)).json()) as {
    keys: unknown[];
  };
  expect(keys).toHaveLength(1);
});
