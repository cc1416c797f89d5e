import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../app/people/roles.ts";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  answerMicro,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  pass,
  secret,
  statusOf,
  submit,
  take,
} from "./backend.fixture.ts";
import { runDue } from "./batchFile.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const hourMs = 3_600_000;
const credit = 1_000_000n;
const { playground } = api.console;

async function join(role: Role): Promise<string> {
  return (await joinAs(t, session, { name: role, roles: [role] })).session;
}

/** Opens the playground as the console does, and returns the key's secret. */
async function begin(by: string): Promise<string> {
  const apiKey = secret("sk-gleaner-");
  await t.mutation(playground.begin, {
    session: by,
    keyHash: await hashSecret(apiKey),
    prefix: apiKey.slice(0, 14),
  });
  return apiKey;
}

const stateOf = async (by: string) => await t.query(playground.state, { session: by });
const isUsable = async (apiKey: string) =>
  await t.query(internal.requests.identify, { apiKey }).then(
    () => true,
    () => false,
  );

/** Lets hours pass in which the session is used. */
async function passInUse(by: string, hours: number): Promise<void> {
  for (let passed = 0; passed < hours; passed += 1) {
    await t.mutation(api.console.account.use, { session: by });
    await pass(t, hourMs);
  }
}

describe("a key of the playground", () => {
  it("belongs to its member, is listed as one of the playground, and works", async () => {
    const requester = await join("requester");
    const apiKey = await begin(requester);
    const [listed, ...others] = await listKeys(t, requester);
    expect(listed).toMatchObject({
      name: "Playground",
      owner: { name: "requester" },
      balanceMicro: 100_000n * credit,
      playgroundUntil: Date.now() + 24 * hourMs,
      revokedAt: null,
    });
    expect(others).toEqual([]);
    expect(await statusOf(t, acme, await submit(t, { apiKey }))).toBe("ready");
  });

  it("is replaced by the next one of its session", async () => {
    const first = await begin(session);
    const second = await begin(session);
    expect([await isUsable(first), await isUsable(second)]).toEqual([false, true]);
  });

  it("is not listed after its end, so that the keys of programs stay on the list", async () => {
    const before = await listKeys(t, session);
    await begin(session);
    expect((await listKeys(t, session)).length).toBe(before.length + 1);
    await t.mutation(playground.end, { session });
    expect(await listKeys(t, session)).toEqual(before);
  });

  it("leaves its jobs on the member's list after its end", async () => {
    const requester = await join("requester");
    const jobId = await submit(t, { apiKey: await begin(requester) });
    await t.mutation(playground.end, { session: requester });
    await runDue(t);
    const paginationOpts = { numItems: 5, cursor: null };
    const { page } = await t.query(api.console.jobs.list, { session: requester, paginationOpts });
    expect(page).toMatchObject([{ jobId, status: "canceled", keyName: "Playground" }]);
  });

  it("ends when the member closes the playground, and with its waiting jobs", async () => {
    const apiKey = await begin(session);
    const jobId = await submit(t, { apiKey });
    await t.mutation(playground.end, { session });
    expect(await isUsable(apiKey)).toBe(false);
    await runDue(t);
    expect(await statusOf(t, acme, jobId)).toBe("canceled");
    expect(await stateOf(session)).toMatchObject({ key: null });
  });

  it("ends with its session", async () => {
    const requester = await join("requester");
    const apiKey = await begin(requester);
    await t.mutation(api.console.account.signOut, { session: requester });
    expect(await isUsable(apiKey)).toBe(false);
  });

  it("ends after a day, however much the session is used", async () => {
    const apiKey = await begin(session);
    await passInUse(session, 23);
    expect(await isUsable(apiKey)).toBe(true);
    await passInUse(session, 1);
    expect(await isUsable(apiKey)).toBe(false);
    expect(await stateOf(session)).toMatchObject({ key: null });
  });
});

describe("the credits of the playground", () => {
  it("are the member's for a day, whatever number of keys and sessions they open", async () => {
    await t.mutation(playground.setCredits, { session, micro: 10n * credit });
    const requester = await join("requester");
    const device = await addDevice(t, acme);
    await take(t, device);
    const jobId = await submit(t, { apiKey: await begin(requester) });
    await complete(t, device, await claim(t, device, jobId));
    await begin(requester);
    expect((await stateOf(requester)).key?.leftMicro).toBe(10n * credit - answerMicro);
    await passInUse(requester, 24);
    await begin(requester);
    expect((await stateOf(requester)).key?.leftMicro).toBe(10n * credit);
  });

  it("run out with a sentence that tells what to do", async () => {
    await t.mutation(playground.setCredits, { session, micro: 1n });
    const requester = await join("requester");
    const apiKey = await begin(requester);
    await expectRefusal(submit(t, { apiKey }), "quota_exceeded");
    await expect(submit(t, { apiKey })).rejects.toThrow(
      /you have 0\S* credits left in the playground for today/,
    );
    await t.mutation(playground.setCredits, { session, micro: 0n });
    await expectRefusal(begin(requester), "quota_exceeded");
    await expect(begin(requester)).rejects.toThrow(/an administrator gave it no credits/);
  });

  it("are set by an administrator, within bounds, and the audit trail tells", async () => {
    await expectRefusal(t.mutation(playground.setCredits, { session, micro: -1n }), "invalid");
    await t.mutation(playground.setCredits, { session, micro: 7n * credit });
    expect(await stateOf(session)).toEqual({ dailyMicro: 7n * credit, key: null });
    const paginationOpts = { numItems: 5, cursor: null };
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page[0]).toMatchObject({
      action: "playground.credits-changed",
      detail: "credits of a member for a day: 100,000 → 7",
    });
    const operator = await join("operator");
    await expectRefusal(
      t.mutation(playground.setCredits, { session: operator, micro: 9n * credit }),
      "forbidden",
    );
  });

  it("do not grow with many keys", async () => {
    for (let made = 0; made < 50; made += 1) await begin(session);
    await expectRefusal(begin(session), "rate_limited");
  });
});

it("tells why the newest calls of the session wait, and nothing of other sessions", async () => {
  const requester = await join("requester");
  const waits = async (secret: string) => await t.query(playground.waits, { session: secret });
  expect(await waits(requester)).toEqual([]);
  await submit(t, { apiKey: await begin(requester) });
  expect(await waits(requester)).toEqual([{ modelId: "demo-1m", wait: { kind: "no-worker" } }]);
  expect(await waits(session)).toEqual([]);
  const device = await addDevice(t, acme);
  await take(t, device);
  expect(await waits(requester)).toEqual([]);
});

describe("the measures of a job", () => {
  it("are its times, its kind of device and its price, without anybody's name", async () => {
    const device = await addDevice(t, acme, "Anna's laptop");
    await take(t, device);
    const requester = await join("requester");
    const jobId = await submit(t, { apiKey: await begin(requester) });
    const read = async () => await t.query(playground.measures, { session: requester, jobId });
    expect(await read()).toMatchObject({ status: "ready", queuedMs: null, device: null, priceMicro: null });
    await pass(t, 3_000);
    const attemptId = await claim(t, device, jobId);
    await pass(t, 2_000);
    await complete(t, device, attemptId);
    const measured = await read();
    expect(measured).toMatchObject({
      status: "succeeded",
      queuedMs: 3_000,
      ranMs: 2_000,
      attempts: 1,
      usage: { promptTokens: 10, completionTokens: 3 },
      timing: { prefillMs: 5, generateMs: 20 },
      priceMicro: answerMicro,
    });
    expect(Object.keys(measured?.device ?? {}).sort()).toEqual(["gpu", "memoryGb", "platform"]);
    expect(Object.values(measured?.device ?? {})).not.toContain("Anna's laptop");
  });

  it("are shown to the job's requester only", async () => {
    const jobId = await submit(t, { apiKey: await begin(await join("requester")) });
    await expectRefusal(t.query(playground.measures, { session, jobId }), "not_found");
  });
});
