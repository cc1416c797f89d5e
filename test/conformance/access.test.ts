import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { asAdmin, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

const hidden = /Could not find public function/;

test("internal functions are hidden from clients", async () => {
  const name = uniqueName();
  await expect(httpClient().query(api.counters.secretGet, { name })).rejects.toThrow(hidden);
  await expect(httpClient().mutation(api.counters.reset, { name })).rejects.toThrow(hidden);
  await expect(liveClient().mutation(api.counters.reset, { name })).rejects.toThrow(hidden);
  expect((await watch(liveClient(), api.counters.secretGet, { name }).untilError()).message).toMatch(hidden);
});

test("the admin may call internal functions, over HTTP and over a WebSocket", async () => {
  const name = uniqueName();
  await httpClient().mutation(api.counters.increment, { name });
  expect(await asAdmin(httpClient()).query(api.counters.secretGet, { name })).toBe(1);
  const live = liveClient();
  asAdmin(live.client);
  expect(await watch(live, api.counters.secretGet, { name }).until(() => true)).toBe(1);
  await live.mutation(api.counters.reset, { name });
  expect(await live.query(api.counters.get, { name })).toBe(0);
});

test("a wrong admin key opens nothing", async () => {
  const name = uniqueName();
  await expect(asAdmin(httpClient(), "wrong|key").query(api.counters.get, { name })).rejects.toThrow(
    /BadDeployKey|admin key/i,
  );
  const live = liveClient();
  asAdmin(live.client, "wrong|key");
  expect((await watch(live, api.counters.secretGet, { name }).untilError()).message).toMatch(hidden);
});

test("functions see their caller: nobody, or the user as whom the admin acts", async () => {
  expect(await httpClient().query(api.values.whoami, {})).toBeNull();
  expect(await asAdmin(httpClient(), undefined, "ann").query(api.values.whoami, {})).toBe("ann");
  const live = liveClient();
  asAdmin(live.client, undefined, "ben");
  expect(await watch(live, api.values.whoami, {}).until(() => true)).toBe("ben");
});

test("a change of identity runs every query again", async () => {
  const live = liveClient();
  const seen = watch(live, api.values.whoami, {});
  await seen.until((subject) => subject === null);
  asAdmin(live.client, undefined, "cleo");
  expect(await seen.until((subject) => subject === "cleo")).toBe("cleo");
});

test("a call of a missing function is refused", async () => {
  const missing = makeFunctionReference<"query", { name: string }>("nothing:here");
  await expect(httpClient().query(missing, { name: "x" })).rejects.toThrow(hidden);
  await expect(asAdmin(httpClient()).query(missing, { name: "x" })).rejects.toThrow(
    /Could not find function/,
  );
});
