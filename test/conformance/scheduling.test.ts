import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

const { later } = modules;
type JobId = Awaited<ReturnType<typeof scheduleSoon>>;

const scheduleSoon = (channel: string) =>
  httpClient().mutation(later.scheduleAt, { channel, body: "at", at: Date.now() + 2_000 });
const rowOf = (id: JobId) => httpClient().query(later.row, { id });
const sent = (channel: string) => httpClient().query(api.messages.list, { channel });

function finished(id: JobId) {
  return watch(liveClient(), later.row, { id }).until((row) => row?.isCompleted === true);
}

test("runAt runs a function, and the system table has its state before and after", async () => {
  const channel = uniqueName();
  const id = await scheduleSoon(channel);
  const before = await rowOf(id);
  expect(before).toMatchObject({
    name: "later.js:append",
    args: [{ channel, body: "at" }],
    state: { kind: "pending" },
    isCompleted: false,
  });
  expect(before!.scheduledTime).toBeGreaterThan(Date.now() - 60_000);
  expect(await finished(id)).toMatchObject({ state: { kind: "success" } });
  expect(await sent(channel)).toEqual(["at"]);
});

test("a function scheduled in the past runs at once", async () => {
  const channel = uniqueName();
  const id = await httpClient().mutation(later.scheduleAt, { channel, body: "late", at: Date.now() - 5000 });
  await finished(id);
  expect(await sent(channel)).toEqual(["late"]);
});

test("an action can schedule and cancel functions", async () => {
  const [kept, canceled] = [uniqueName(), uniqueName()];
  const options = { body: "x", delayMs: 300, fails: false };
  const call = (channel: string, cancels: boolean) =>
    httpClient().action(later.scheduleFromAction, { ...options, channel, cancels });
  const [first, second] = [await call(kept, false), await call(canceled, true)];
  expect(await rowOf(second)).toMatchObject({ state: { kind: "canceled" } });
  await finished(first);
  await sleep(200);
  expect([await sent(kept), await sent(canceled)]).toEqual([["x"], []]);
});

test("functions that an action scheduled stay scheduled if the action fails", async () => {
  const channel = uniqueName();
  const seen = watch(liveClient(), api.messages.list, { channel });
  const args = { channel, body: "stays", delayMs: 0, cancels: false, fails: true };
  await expect(httpClient().action(later.scheduleFromAction, args)).rejects.toThrow();
  expect(await seen.until((messages) => messages.length > 0)).toEqual(["stays"]);
});

test("a scheduled action runs once, even if it fails", async () => {
  const [right, wrong] = [uniqueName(), uniqueName()];
  const client = httpClient();
  const good = await client.mutation(later.scheduleAction, { channel: right, body: "ran", fails: false });
  const bad = await client.mutation(later.scheduleAction, { channel: wrong, body: "ran", fails: true });
  expect(await finished(good)).toMatchObject({ name: "later.js:runs", state: { kind: "success" } });
  expect(await finished(bad)).toMatchObject({ state: { kind: "failed", error: expect.any(String) } });
  await sleep(300);
  expect([await sent(right), await sent(wrong)]).toEqual([["ran"], ["ran"]]);
});

test("a scheduled mutation that fails leaves only its failure", async () => {
  const channel = uniqueName();
  const id = await httpClient().mutation(later.scheduleFailing, { channel });
  expect(await finished(id)).toMatchObject({ state: { kind: "failed" } });
  expect(await sent(channel)).toEqual([]);
});

const missing = [
  ["missing:one", "Attempted to schedule function at nonexistent path: missing.js"],
  [
    "later:nothing",
    "Attempted to schedule function, but no exported function nothing found in the file: later.js. Did you forget " +
      "to export it?",
  ],
] as const;

test.each(missing)("a missing function cannot be scheduled: %s", async (name, words) => {
  expect(await httpClient().mutation(later.scheduleByName, { name })).toEqual({ error: words, id: null });
  expect(await httpClient().action(later.scheduleByNameFromAction, { name })).toBe(words);
});

test("a function cannot be scheduled by a name that no module may have", async () => {
  const name = "@#@!invalid@#file$$path:one";
  const words =
    "Path component @#@!invalid@#file$$path can only contain alphanumeric characters, underscores, or periods.";
  const { error } = await httpClient().mutation(later.scheduleByName, { name });
  expect(error).toContain(words);
  expect(await httpClient().action(later.scheduleByNameFromAction, { name })).toContain(words);
});

test("a query can be scheduled, and fails when it is to run", async () => {
  const { id } = await httpClient().mutation(later.scheduleByName, { name: "later:state" });
  const { state } = (await finished(id!))!;
  expect(state).toEqual({ kind: "failed", error: expect.stringMatching(/^Unsupported function type\./) });
  expect(state).toHaveProperty("error", expect.stringMatching(/"later\.js" is defined as a Query/));
});

test("arguments are checked when the function is to run", async () => {
  const { id } = await httpClient().mutation(later.scheduleByName, { name: "later:append" });
  expect(await finished(id!)).toMatchObject({
    state: { kind: "failed", error: expect.stringContaining("ArgumentValidationError") },
  });
});

test.each([
  ["future", 1],
  ["past", -1],
])("a function is scheduled at most five years in the %s", async (direction, sign) => {
  const at = Date.now() + sign * 6 * 365 * 24 * 3600 * 1000;
  const { error } = await httpClient().mutation(later.scheduleByName, { name: "later:append", at });
  expect(error).toContain(`is more than 5 years in the ${direction}`);
});

test("only ids of scheduled functions can be canceled", async () => {
  const [other, nonsense] = await httpClient().mutation(later.cancelOthers, {});
  expect(other).toBe(
    "Invalid scheduled function ID. The ID must be an ID on the '_scheduled_functions' table.",
  );
  expect(nonsense).not.toBe("nothing");
});

test("a mutation cannot cancel itself", async () => {
  const channel = uniqueName();
  const seen = watch(liveClient(), api.messages.list, { channel });
  await httpClient().mutation(later.scheduleSelfCancel, { channel });
  expect(await seen.until((messages) => messages.length > 0)).toEqual(["A mutation cannot cancel itself"]);
});

test("canceling a finished function changes nothing", async () => {
  const channel = uniqueName();
  const id = await scheduleSoon(channel);
  await finished(id);
  await httpClient().mutation(api.later.cancel, { id });
  expect(await rowOf(id)).toMatchObject({ state: { kind: "success" } });
});
