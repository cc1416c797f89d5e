import { ConvexClient } from "convex/browser";
import { makeFunctionReference, type UserIdentity } from "convex/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { inSeconds, issuer } from "./issuer.ts";
import { watch } from "./watch.ts";

type Message = { channel: string; body: string };

const identity = {
  whole: makeFunctionReference<"query", Record<string, never>, UserIdentity | null>("identity:whole"),
  mine: makeFunctionReference<"query", { channel: string }, string[]>("identity:mine"),
  say: makeFunctionReference<"mutation", Message, null>("identity:say"),
  sayLater: makeFunctionReference<"mutation", Message, null>("identity:sayLater"),
  throughAction: makeFunctionReference<"action", Message, { own: string; called: string }>(
    "identity:throughAction",
  ),
};

/** Records the changes of a client's authentication. */
function changes() {
  const seen: boolean[] = [];
  const until = (wanted: boolean) => expect.poll(() => seen.at(-1), { interval: 20 }).toBe(wanted);
  return { seen, until, onChange: (isAuthenticated: boolean) => void seen.push(isAuthenticated) };
}

const as = async (claims: Parameters<typeof issuer.token>[0]) => {
  const client = httpClient();
  client.setAuth(await issuer.token(claims));
  return client;
};

describe.skipIf(!issuer.isKnown)("users (needs FIXTURE_ISSUER, which the deployment can reach)", () => {
  test("functions see the claims of a token", async () => {
    const client = await as({ sub: "ann", given_name: "Ann", email_verified: true, plan: { tier: 2 } });
    expect(await client.query(identity.whole, {})).toEqual({
      tokenIdentifier: `${issuer.url}|ann`,
      subject: "ann",
      issuer: issuer.url,
      givenName: "Ann",
      emailVerified: true,
      plan: { tier: 2 },
    });
    client.clearAuth();
    expect(await client.query(identity.whole, {})).toBeNull();
  });

  test.each([
    ["for another application", { aud: "other" }, /NoAuthProvider/],
    ["of another issuer", { iss: "https://issuer.example" }, /NoAuthProvider/],
    ["that has expired", { exp: 1_000_000_000, iat: 999_999_000 }, /Unauthenticated/],
  ])("a token %s is refused", async (_, claims, refusal) => {
    await expect((await as(claims)).query(identity.whole, {})).rejects.toThrow(refusal);
  });

  test("a custom JWT identifies its user", async () => {
    const client = httpClient();
    client.setAuth(await issuer.customToken({ sub: "gil", team: { id: 7 } }));
    expect(await client.query(identity.whole, {})).toEqual({
      tokenIdentifier: `${issuer.url}/custom|gil`,
      subject: "gil",
      issuer: `${issuer.url}/custom`,
      "team.id": 7,
    });
  });

  test.each([
    ["without a key id", () => issuer.customToken({}, "custom-token/no-kid")],
    ["that was issued in the future", () => issuer.customToken({ iat: inSeconds(60) })],
    ["that is not valid yet", () => issuer.customToken({ nbf: inSeconds(60) })],
    ["that has expired", () => issuer.customToken({ exp: inSeconds(-60) })],
    ["that never expires", () => issuer.customToken({ exp: null })],
  ])("a custom JWT %s is refused", async (_, token) => {
    const client = httpClient();
    client.setAuth(await token());
    await expect(client.query(identity.whole, {})).rejects.toThrow(/InvalidAuthHeader/);
  });

  test("a nested call runs as the caller, and a scheduled function as nobody", async () => {
    const channel = uniqueName();
    const client = await as({ sub: "ben" });
    expect(await client.action(identity.throughAction, { channel, body: "1" })).toEqual({
      own: "ben",
      called: "ben",
    });
    await client.mutation(identity.sayLater, { channel, body: "2" });
    const said = watch(liveClient(), api.messages.list, { channel });
    expect(await said.until((bodies) => bodies.length === 2)).toEqual(["ben: 1", "nobody: 2"]);
  });

  test("HTTP actions see the user of their token, and run with any header", async () => {
    const ask = (path: string, authorization?: string) =>
      fetch(deployment.siteUrl + path, authorization === undefined ? {} : { headers: { authorization } });
    const good = `Bearer ${await issuer.token({ sub: "cleo" })}`;
    const bad = `Bearer ${await issuer.token({ aud: "other" })}`;
    expect(await (await ask("/whoami", good)).json()).toMatchObject({ subject: "cleo" });
    expect(await (await ask("/whoami?of=query", good)).json()).toMatchObject({ subject: "cleo" });
    expect(await (await ask("/whoami")).json()).toBeNull();
    expect(await (await ask("/whoami?of=query", bad)).json()).toBeNull();
    for (const header of [bad, "Bearer a-key-of-our-own", "Basic YTpi"]) {
      expect(await (await ask("/hello", header)).text()).toBe("hello nobody");
    }
  });

  test("a socket may change its user, and its queries see that user's documents", async () => {
    const channel = uniqueName();
    await (await as({ sub: "ann" })).mutation(identity.say, { channel, body: "a" });
    await (await as({ sub: "ben" })).mutation(identity.say, { channel, body: "b" });
    const live = liveClient();
    const seen = watch(live, identity.mine, { channel });
    await seen.until((said) => said.length === 0);
    const [ann, ben] = [changes(), changes()];
    live.setAuth(() => issuer.token({ sub: "ann", jti: uniqueName() }), ann.onChange);
    await ann.until(true);
    expect(await seen.until((said) => said.length > 0)).toEqual(["ann: a"]);
    let tokens = 0;
    live.setAuth(async () => {
      const token = await issuer.token({ sub: "ben", jti: uniqueName() });
      tokens += 1;
      return token;
    }, ben.onChange);
    await ben.until(true);
    expect(await seen.until((said) => said[0] === "ben: b")).toEqual(["ben: b"]);
    // After its first token is accepted, the client requests a fresh one and signs in with it, even if it was signed
    // out meanwhile.
    await expect.poll(() => tokens).toBe(2);
    live.client.clearAuth();
    await expect.poll(() => seen.values.at(-1)).toEqual([]);
    expect(seen.errors).toEqual([]);
  });

  test("a mutation runs as the user who sent it, before and after a change of user", async () => {
    const channel = uniqueName();
    const live = liveClient();
    await live.query(identity.whole, {});
    const before = live.mutation(identity.say, { channel, body: "1" });
    live.setAuth(() => issuer.token({ sub: "dora", jti: uniqueName() }));
    const after = live.mutation(identity.say, { channel, body: "2" });
    await Promise.all([before, after]);
    expect(await httpClient().query(api.messages.list, { channel })).toEqual(["nobody: 1", "dora: 2"]);
  });

  test("a token that is always refused logs the client out, and its queries run as nobody", async () => {
    const live = liveClient();
    const { onChange, until, seen } = changes();
    live.setAuth(() => issuer.token({ aud: "other", jti: uniqueName() }), onChange);
    await until(false);
    expect(seen).toEqual([false]);
    expect(await watch(live, identity.whole, {}).until(() => true)).toBeNull();
  });

  test("a client that renews its token keeps its identity and its results", async () => {
    const live = new ConvexClient(deployment.url, {
      logger: false,
      unsavedChangesWarning: false,
      authRefreshTokenLeewaySeconds: 3,
    });
    onTestFinished(() => live.close());
    const seen = watch(live, identity.whole, {});
    const renewed = changes();
    let fetched = 0;
    live.setAuth(() => {
      fetched += 1;
      return issuer.token({ sub: "eve", jti: uniqueName(), exp: inSeconds(5) });
    }, renewed.onChange);
    await expect.poll(() => fetched).toBeGreaterThanOrEqual(5);
    await live.mutation(identity.say, { channel: uniqueName(), body: "still here" });
    expect(new Set(renewed.seen)).toEqual(new Set([true]));
    // The identity is the same, so queries that depend on it did not change.
    expect(seen.values.filter((value) => value?.subject === "eve")).toHaveLength(1);
    expect(seen.values.slice(1).every((value) => value?.subject === "eve")).toBe(true);
  });

  test("a call after the token's expiry runs as nobody", async () => {
    const channel = uniqueName();
    const live = liveClient();
    const { onChange, until } = changes();
    const token = await issuer.token({ sub: "fay", exp: inSeconds(4) });
    live.setAuth(() => Promise.resolve(token), onChange);
    await until(true);
    await live.mutation(identity.say, { channel, body: "in time" });
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await live.mutation(identity.say, { channel, body: "too late" });
    await until(false);
    expect(await httpClient().query(api.messages.list, { channel })).toEqual([
      "fay: in time",
      "nobody: too late",
    ]);
  });
});
