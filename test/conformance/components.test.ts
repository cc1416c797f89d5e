import { makeFunctionReference } from "convex/server";
import { expect, test } from "vitest";
import { api, modules } from "./api.ts";
import { asAdmin, deployment, httpClient, liveClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";
import { watch } from "./watch.ts";

const { mail } = modules;
const hidden = /Could not find public function/;

test("a component's documents are its own: the app's and other mounts' tables do not have them", async () => {
  const client = httpClient();
  const box = uniqueName();
  await client.mutation(mail.put, { box, text: "a" });
  expect(await client.query(mail.list, { box })).toEqual(["a"]);
  expect(await client.query(mail.listOther, { box })).toEqual([]);
  expect(await client.query(mail.reachInto, {})).toBe(0);
});

test.each(["mailbox/letters:list", "mailbox:letters:list", "letters:list", "mailbox/letters.js:list"])(
  "no client calls a component's function: not as %s",
  async (name) => {
    const reference = makeFunctionReference<"query", { box: string }>(name);
    await expect(httpClient().query(reference, { box: "x" })).rejects.toThrow(hidden);
    const error = await watch(liveClient(), reference, { box: "x" }).untilError();
    expect(error.message).toMatch(hidden);
  },
);

test("nor does the app call a component's internal functions", async () => {
  await expect(httpClient().mutation(mail.callHidden, {})).rejects.toThrow();
});

test("users are the app's: a component does not see them", async () => {
  const client = asAdmin(httpClient(), deployment.adminKey, "ann");
  expect(await client.action(mail.users, {})).toEqual({ app: "ann", query: null, action: null });
});

test("a component that fails is rolled back alone, if its error is caught", async () => {
  const [box, channel] = [uniqueName(), uniqueName()];
  const client = httpClient();
  const kept = { failed: true, seen: ["kept"] };
  expect(await client.mutation(mail.survive, { box, channel, text: "kept" })).toEqual(kept);
  expect(await client.query(mail.list, { box })).toEqual(["kept"]);
  expect(await client.query(api.messages.list, { channel })).toEqual(["kept"]);
});

test("an app that fails takes its components' writes back", async () => {
  const box = uniqueName();
  await expect(httpClient().mutation(mail.putAndFail, { box, text: "never" })).rejects.toThrow(
    saying("the app failed"),
  );
  expect(await httpClient().query(mail.list, { box })).toEqual([]);
});

test("a component calls the app's function that it was handed; if that fails, it is rolled back alone", async () => {
  const [box, channel] = [uniqueName(), uniqueName()];
  const client = httpClient();
  await client.mutation(mail.callBack, { box, channel, body: "hello" });
  await client.mutation(mail.callBack, { box, channel, body: "refused" });
  expect(await client.query(mail.list, { box })).toEqual(["delivered", "failed"]);
  expect(await client.query(api.messages.list, { channel })).toEqual(["hello"]);
});

test("a component schedules its own functions, in a table of its own", async () => {
  const box = uniqueName();
  const client = liveClient();
  const letters = watch(client, mail.list, { box });
  await client.mutation(mail.putLater, { box, text: "later" });
  await letters.until((texts) => texts.length > 0);
  expect(await client.query(mail.scheduled, { box })).toEqual({ app: 0, component: ["letters.js:put"] });
});

test("and the app's, by a handle", async () => {
  const channel = uniqueName();
  const client = liveClient();
  const messages = watch(client, api.messages.list, { channel });
  await client.mutation(mail.callBackLater, { channel, body: "later" });
  expect(await messages.until((bodies) => bodies.length > 0)).toEqual(["later"]);
});

test("a query of a component's documents is asked again when they change", async () => {
  const box = uniqueName();
  const client = liveClient();
  const letters = watch(client, mail.list, { box });
  await letters.until((texts) => texts.length === 0);
  await httpClient().mutation(mail.put, { box, text: "new" });
  expect(await letters.until((texts) => texts.length > 0)).toEqual(["new"]);
});
