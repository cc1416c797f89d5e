import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { asAdmin, deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";
import { watch } from "./watch.ts";

const { mail } = modules;
const hidden = /Could not find public function/;

test("a component's documents are in neither the app's tables nor those of other mounts", async () => {
  const client = httpClient();
  const box = uniqueName();
  await client.mutation(mail.put, { box, text: "a" });
  expect(await client.query(mail.list, { box })).toEqual(["a"]);
  expect(await client.query(mail.listOther, { box })).toEqual([]);
  expect(await client.query(mail.reachInto, {})).toBe(0);
});

test("each call of a component has modules of its own", async () => {
  const client = httpClient();
  await client.mutation(mail.countRuns, {});
  expect(await client.mutation(mail.countRuns, {})).toEqual([1, 1]);
});

test("a component cannot paginate", async () => {
  await expect(httpClient().query(mail.page, {})).rejects.toThrow(
    saying("paginate() is only supported in the app."),
  );
});

test.each(["mailbox/letters:list", "mailbox:letters:list", "letters:list", "mailbox/letters.js:list"])(
  "no client can call a component's function as %s",
  async (name) => {
    const reference = makeFunctionReference<"query", { box: string }>(name);
    await expect(httpClient().query(reference, { box: "x" })).rejects.toThrow(hidden);
    const error = await watch(liveClient(), reference, { box: "x" }).untilError();
    expect(error.message).toMatch(hidden);
  },
);

test("the app cannot call a component's internal functions", async () => {
  await expect(httpClient().mutation(mail.callHidden, {})).rejects.toThrow();
});

test("a component does not see the app's users", async () => {
  const client = asAdmin(httpClient(), deployment.adminKey, "ann");
  expect(await client.action(mail.users, {})).toEqual({ app: "ann", query: null, action: null });
});

test("only a failing component is rolled back if its error is caught", async () => {
  const [box, channel] = [uniqueName(), uniqueName()];
  const client = httpClient();
  const kept = { failed: true, seen: ["kept"] };
  expect(await client.mutation(mail.survive, { box, channel, text: "kept" })).toEqual(kept);
  expect(await client.query(mail.list, { box })).toEqual(["kept"]);
  expect(await client.query(api.messages.list, { channel })).toEqual(["kept"]);
});

test("a failing app mutation also rolls back its components' writes", async () => {
  const box = uniqueName();
  await expect(httpClient().mutation(mail.putAndFail, { box, text: "never" })).rejects.toThrow(
    saying("the app failed"),
  );
  expect(await httpClient().query(mail.list, { box })).toEqual([]);
});

test("a component calls an app function by handle, and only that is rolled back if it fails", async () => {
  const [box, channel] = [uniqueName(), uniqueName()];
  const client = httpClient();
  await client.mutation(mail.callBack, { box, channel, body: "hello" });
  await client.mutation(mail.callBack, { box, channel, body: "refused" });
  expect(await client.query(mail.list, { box })).toEqual(["delivered", "failed"]);
  expect(await client.query(api.messages.list, { channel })).toEqual(["hello"]);
});

test("a component schedules its own functions in its own table", async () => {
  const box = uniqueName();
  const client = liveClient();
  const letters = watch(client, mail.list, { box });
  await client.mutation(mail.putLater, { box, text: "later" });
  await letters.until((texts) => texts.length > 0);
  expect(await client.query(mail.scheduled, { box })).toEqual({ app: 0, component: ["letters.js:put"] });
});

test("a component schedules an app function by handle", async () => {
  const channel = uniqueName();
  const client = liveClient();
  const messages = watch(client, api.messages.list, { channel });
  await client.mutation(mail.callBackLater, { channel, body: "later" });
  expect(await messages.until((bodies) => bodies.length > 0)).toEqual(["later"]);
});

test("a query of a component's documents runs again when they change", async () => {
  const box = uniqueName();
  const client = liveClient();
  const letters = watch(client, mail.list, { box });
  await letters.until((texts) => texts.length === 0);
  await httpClient().mutation(mail.put, { box, text: "new" });
  expect(await letters.until((texts) => texts.length > 0)).toEqual(["new"]);
});

test.each([
  ["/mailbox/exact", "app", "an exact route of the app wins over a component's prefix"],
  ["/mailbox/longer/x", "app", "a longer prefix of the app wins"],
  ["/mailbox/x", "mailbox", "of equal prefixes, the component's wins"],
  ["/boxes/other/x", "mailbox", "a component's longer prefix wins"],
  ["/boxes/x", "app", "a path outside of the component's prefix is the app's"],
  ["/boxes/other", "app", "a component's prefix ends with a slash"],
])("%s is answered by the %s: %s", async (path, by) => {
  for (const method of ["GET", "HEAD"]) {
    const response = await fetch(`${deployment.siteUrl}${path}`, { method });
    expect([response.status, await response.text()]).toEqual([200, method === "GET" ? `${by}: ${path}` : ""]);
  }
});

test("an exact route of the app wins for its own method only", async () => {
  const response = await fetch(`${deployment.siteUrl}/mailbox/exact`, { method: "POST" });
  expect([response.status, await response.text()]).toEqual([404, "No matching routes found"]);
});
