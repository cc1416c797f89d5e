import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseCacheOwner } from "../../app/jobs/payload/payload.ts";
import { drawCanary } from "../../app/trust/canaries.ts";
import { api, internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { balanceOf } from "../model/ledger/balance.ts";
import { checkAccount, deviceAccount, heldAccount, keyAccount } from "../model/ledger/transfer.ts";
import { queue } from "../model/queue.ts";
import { present } from "../model/refuse.ts";
import { askCanarySoon } from "../model/trust/canaries/ask.ts";
import { noteUnchecked, standingIn, storeStanding } from "../model/trust/standings.ts";
import {
  addDevice,
  type Backend,
  chat,
  claim,
  completeWith,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  fail,
  modelId,
  type Organization,
  pass,
  submit,
  submitWork,
  take,
} from "./backend.fixture.ts";
import {
  addChecker,
  answerJob,
  answerText,
  casesOf,
  check,
  choose,
  chooseMode,
  completeJob,
  endProbation,
  fitting,
  leaveUnchecked,
  noise,
  replaysOf,
  standingOf,
} from "./checks.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

vi.mock("../../app/trust/canaries.ts", { spy: true });

let t: Backend;
let acme: Organization;
let session: string;
let devices: readonly Device[];

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  devices = [];
  for (const name of ["one", "two", "three"]) devices = [...devices, await addChecker(t, acme, name)];
  await chooseMode(t, acme, "act");
  for (const device of devices) await leaveUnchecked(t, acme, device);
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
  vi.restoreAllMocks();
});

const dayMs = 24 * 3_600_000;
const long = `${answerText} `.repeat(4);
const usage = { promptTokens: 30, completionTokens: 40 };

const ask = async (): Promise<boolean> =>
  await t.mutation(internal.trust.canaries.ask, { organizationId: acme.organizationId });
const canaries = async (): Promise<readonly Doc<"canaries">[]> =>
  await t.run(async (ctx) => await ctx.db.query("canaries").collect());
const newest = async (): Promise<Doc<"canaries">> => present((await canaries()).at(-1) ?? null, "canary");
const ordersOf = async (): Promise<readonly Doc<"orders">[]> =>
  await t.run(async (ctx) => await ctx.db.query("orders").collect());
const micro = async (account: string): Promise<bigint> =>
  (await t.run(async (ctx) => await balanceOf(ctx, account))).micro;
const deviceAt = async (place: number): Promise<Device> => {
  const id = (await newest()).deviceIds[place];
  return present(devices.find(({ deviceId }) => deviceId === id) ?? null, "device of a canary");
};

/** Lets the device with a place in the newest canary answer it. */
async function answer(place: number, text: string, reported = usage): Promise<void> {
  const device = await deviceAt(place);
  const jobId = present((await newest()).jobIds[place] ?? null, "job of a canary");
  await completeWith(t, device, await claim(t, device, jobId), {
    result: { text, finishReason: "stop" },
    report: {
      usage: text === "" ? { ...reported, completionTokens: 1 } : reported,
      timing: { prefillMs: 50, generateMs: 900 },
    },
  });
}

async function answerBoth(tested: string, other: string): Promise<void> {
  await answer(0, tested);
  await answer(1, other);
  await choose(t);
}

/** Has all canaries ask for a call of a tool, for a plain text, or for one that a grammar forces. */
function draw(kind: "plain" | "tools" | "grammar"): void {
  vi.mocked(drawCanary).mockReturnValue({
    messages: [{ role: "user", content: "What is the weather like in Graz?" }],
    maxTokens: 64,
    temperature: 0,
    topP: 1,
    seed: 7,
    stop: [],
    ...(kind === "tools" ? { tools: [{ name: "get_weather" }] } : {}),
    ...(kind === "grammar" ? { format: { kind: "grammar" as const, grammar: "root ::= [a-zA-Z .]*" } } : {}),
  });
}

describe("a canary", () => {
  it("looks like any other job to its device", async () => {
    draw("plain");
    const usual = await submit(t, acme, { content: "What is the weather like in Graz?" });
    const [job] = await take(t, devices[0] as Device);
    expect(job?.jobId).toBe(usual);
    await ask();
    const [canary] = await take(t, await deviceAt(0));
    const { jobId: _, attemptId: __, payload, ...rest } = present(canary ?? null, "canary");
    const { jobId: ___, attemptId: ____, payload: usualPayload, ...usualRest } = present(job ?? null, "job");
    expect(rest).toEqual({ ...usualRest, remainingMs: expect.any(Number) });
    const { cacheOwner } = payload as { readonly cacheOwner: string };
    expect(cacheOwner).toMatch(/^[0-9a-f]{32}$/);
    expect({ ...(payload as object), cacheOwner: "" }).toEqual({
      ...(usualPayload as object),
      cacheOwner: "",
    });
  });

  it("has the numbers and the key of a usual chat, and no text of it", async () => {
    vi.mocked(drawCanary).mockReset();
    const request = { ...chat("Secret"), maxTokens: 200, temperature: 0.7, topP: 0.9 };
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
    await completeJob(t, devices[0] as Device, jobId);
    await pass(t, 61_000);
    for (const device of devices) await leaveUnchecked(t, acme, device);
    expect(await ask()).toBe(true);
    const payloads = [];
    for (const id of [jobId, ...(await newest()).jobIds])
      payloads.push((await t.run(async (ctx) => await queue.payload(ctx, acme.organizationId, id)))?.payload);
    const [usual, ...canary] = payloads;
    for (const payload of canary) {
      expect(payload).toMatchObject({ maxTokens: 200, temperature: 0.7, topP: 0.9 });
      expect(parseCacheOwner(payload)).toBe(parseCacheOwner(usual));
      expect(JSON.stringify(payload)).not.toContain("Secret");
    }
  });

  it.each(["key", "team’s key", "handed-over device"])(
    "has neither numbers nor key of a chat whose prompt the donor knows by their %s",
    async (by) => {
      vi.mocked(drawCanary).mockReset();
      const { memberId: ann } = await joinAs(t, session, { name: "Ann", roles: ["donor", "requester"] });
      const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
      const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Office" });
      await t.mutation(api.console.people.setTeams, { session, memberId: ann, teamIds: [teamId] });
      const owner = by === "team’s key" ? teamId : ann;
      await t.mutation(api.console.keys.setOwner, { session, keyId, owner });
      const request = { ...chat(), maxTokens: 200, temperature: 0.7 };
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
      await completeJob(t, devices[2] as Device, jobId);
      await pass(t, 61_000);
      const [{ deviceId }] = devices as [Device];
      await t.run(async (ctx) => {
        const owned = by === "handed-over device" ? { givers: [ann] } : { owner: ann };
        await ctx.db.patch("devices", deviceId, owned);
      });
      for (const device of devices)
        await t.run(async (ctx) => await noteUnchecked(ctx, { deviceId: device.deviceId, modelId }, false));
      await leaveUnchecked(t, acme, devices[0] as Device);
      expect(await ask()).toBe(true);
      const { organizationId } = acme;
      const payloadOf = async (id: string) =>
        (await t.run(async (ctx) => await queue.payload(ctx, organizationId, id)))?.payload;
      for (const id of (await newest()).jobIds) {
        expect(await payloadOf(id)).toMatchObject({ temperature: 0 });
        expect(parseCacheOwner(await payloadOf(id))).not.toBe(parseCacheOwner(await payloadOf(jobId)));
      }
    },
  );

  it("seems to be of another key each time, if there was no chat", async () => {
    draw("plain");
    const owners = new Set<string>();
    for (let each = 0; each < 2; each += 1) {
      await ask();
      const { jobIds } = await newest();
      for (const jobId of jobIds) {
        const found = await t.run(async (ctx) => await queue.payload(ctx, acme.organizationId, jobId));
        owners.add(parseCacheOwner(found?.payload) ?? "");
      }
    }
    expect(owners.size).toBe(2);
  });

  it("is asked of two devices, which each get only their own job", async () => {
    expect(await ask()).toBe(true);
    const { deviceIds, jobIds } = await newest();
    expect(new Set(deviceIds).size).toBe(2);
    for (const device of devices) {
      const own = deviceIds.indexOf(device.deviceId);
      const taken = (await take(t, device)).map(({ jobId }) => jobId);
      expect(taken).toEqual(own === -1 ? [] : [jobIds[own]]);
    }
  });

  it("fits if both give the same long answer", async () => {
    draw("plain");
    await ask();
    const tested = await deviceAt(0);
    await answerBoth(long, long);
    expect((await newest()).state).toBe("fits");
    expect((await standingOf(t, tested))?.standing.counts).toEqual({ fits: 1 });
    expect((await standingOf(t, await deviceAt(1)))?.standing.counts).toEqual({});
    expect(await replaysOf(t)).toEqual([]);
  });

  it("is replayed if both say the same, and one of them reports far more tokens", async () => {
    draw("plain");
    await ask();
    await answer(0, long, { ...usage, completionTokens: 50 });
    await answer(1, long);
    await choose(t);
    expect((await newest()).state).toBe("replayed");
  });

  it("ends without a result if its replay compares nothing", async () => {
    draw("grammar");
    await ask();
    const tested = await deviceAt(0);
    await answerBoth(long, "Graz is sunny.");
    const checker = devices.find(({ deviceId }) => deviceId !== tested.deviceId);
    await check(t, checker as Device, { tokens: 0, regret: 0, misses: 0, impossible: 0, logprob: 0 });
    expect((await newest()).state).toBe("undone");
    expect((await standingOf(t, tested))?.unchecked).toBe(true);
  });

  it("ends without a result if the organization does not act on checks anymore", async () => {
    draw("plain");
    await ask();
    await answer(0, long);
    await chooseMode(t, acme, "watch");
    await choose(t);
    expect((await newest()).state).toBe("undone");
    expect((await standingOf(t, await deviceAt(0)))?.standing.counts).toEqual({});
    const [, jobId = ""] = (await newest()).jobIds;
    const { organizationId } = acme;
    const other = await t.run(async (ctx) => await queue.status(ctx, organizationId, jobId));
    expect(other?.status).toBe("canceled");
  });

  it("is replayed if the answers differ, and the replay decides", async () => {
    draw("plain");
    await ask();
    const tested = await deviceAt(0);
    await answerBoth(long, "Graz is sunny.");
    expect((await newest()).state).toBe("replayed");
    const checker = devices.find(({ deviceId }) => deviceId !== tested.deviceId);
    await check(t, checker as Device, { ...fitting, tokens: 40 });
    expect((await newest()).state).toBe("fits");
    expect((await standingOf(t, tested))?.standing.counts).toEqual({ fits: 1 });
  });

  it("opens a case if the replay finds another model's answer, which is not answered again", async () => {
    draw("plain");
    await ask();
    const tested = await deviceAt(0);
    await answerBoth(long, "Graz is sunny.");
    const checkers = devices.filter(({ deviceId }) => deviceId !== tested.deviceId);
    for (const checker of checkers) await check(t, checker, noise);
    expect((await newest()).state).toBe("mismatch");
    expect(await casesOf(t)).toMatchObject([{ state: "wrong", deviceId: tested.deviceId, isSeries: false }]);
    expect(await ordersOf()).toHaveLength(2);
    expect(await micro(deviceAccount(tested.deviceId))).toBe(0n);
  });

  it("asks a third device about an empty answer with tools, and several of them are a case", async () => {
    draw("tools");
    let tested: Device | null = null;
    for (const state of ["unclear", "mismatch"]) {
      expect(await ask()).toBe(true);
      while (tested !== null && (await deviceAt(0)).deviceId !== tested.deviceId) {
        await answerBoth("", "");
        expect(await ask()).toBe(true);
      }
      tested = await deviceAt(0);
      await answerBoth("", long);
      const { state: waits, jobIds } = await newest();
      expect([waits, jobIds.length]).toEqual(["asked", 3]);
      // Honest computers round differently, so the two texts need not be the same.
      await answer(2, `${long} Bye.`);
      await choose(t);
      expect((await newest()).state).toBe(state);
      vi.setSystemTime(Date.now() + dayMs);
    }
    expect(await casesOf(t)).toMatchObject([{ state: "wrong", isSeries: true, voices: [{}, {}] }]);
    expect(
      await t.run(async (ctx) => await ctx.db.get("devices", present(tested, "device").deviceId)),
    ).toHaveProperty("pause");
  });

  it("says nothing about an empty answer if the third device writes nothing, too", async () => {
    draw("tools");
    await ask();
    const tested = await deviceAt(0);
    await answerBoth("", long);
    await answer(2, "");
    await choose(t);
    expect((await newest()).state).toBe("undone");
    expect((await standingOf(t, tested))?.standing.counts).toEqual({});
  });

  it("ends without a result if a device fails, and leaves no job to retry", async () => {
    draw("plain");
    await ask();
    const tested = await deviceAt(0);
    const [jobId = ""] = (await newest()).jobIds;
    await fail(t, tested, await claim(t, tested, jobId), { retryable: false });
    await choose(t);
    expect((await newest()).state).toBe("undone");
    const [failed = "", other = ""] = (await newest()).jobIds;
    const { organizationId } = acme;
    const left = await t.run(async (ctx) => [
      await queue.payload(ctx, organizationId, failed),
      (await queue.status(ctx, organizationId, other))?.status,
    ]);
    expect(left).toEqual([null, "canceled"]);
  });
});

describe("devices get canaries", () => {
  it("only if too little is known of them, and once a day", async () => {
    draw("plain");
    const asked = new Set<string>();
    for (let each = 0; each < 3; each += 1) {
      expect(await ask()).toBe(true);
      asked.add((await deviceAt(0)).deviceId);
    }
    expect(asked.size).toBe(3);
    expect(await ask()).toBe(false);
  });

  it("only if no replay could test them", async () => {
    const [device] = devices as [Device];
    for (const { deviceId } of devices)
      await t.run(async (ctx) => await noteUnchecked(ctx, { deviceId, modelId }, false));
    expect(await ask()).toBe(false);
    await leaveUnchecked(t, acme, device);
    expect(await ask()).toBe(true);
    expect((await deviceAt(0)).deviceId).toBe(device.deviceId);
  });

  it("only while they donate, also those that are compared with", async () => {
    const [one, two, three] = devices as [Device, Device, Device];
    const activity = { kind: "holding", reason: "in-use" } as const;
    await t.mutation(api.devices.report, { key: two.key, activity });
    expect(await ask()).toBe(true);
    expect((await newest()).deviceIds).not.toContain(two.deviceId);
    await t.mutation(api.devices.report, { key: three.key, activity });
    await t.mutation(api.devices.report, { key: one.key, activity });
    expect(await ask()).toBe(false);
  });

  it("not with a model that left the catalog", async () => {
    draw("plain");
    await t.mutation(api.console.models.retire, { session, modelId });
    expect(await ask()).toBe(false);
    await t.mutation(api.console.models.reinstate, { session, modelId });
    // No device had to wait because of that.
    for (let each = 0; each < 3; each += 1) expect(await ask()).toBe(true);
  });

  it("though one of them has no device to be compared with", async () => {
    draw("plain");
    const lonely = "lonely-1m";
    await t.run(async (ctx) => {
      const { _id, _creationTime, ...model } = present(await ctx.db.query("models").first(), "model");
      await ctx.db.insert("models", { ...model, modelId: lonely });
    });
    const alone = await addDevice(t, acme, "alone", [lonely]);
    const pair = { organizationId: acme.organizationId, deviceId: alone.deviceId, modelId: lonely };
    await t.run(
      async (ctx) => await storeStanding(ctx, pair, null, standingIn(null, Date.now()), { unchecked: true }),
    );
    for (let each = 0; each < 3; each += 1) {
      expect(await ask()).toBe(true);
      expect((await newest()).modelId).toBe(modelId);
    }
  });

  it("later if the queue refuses one, so that others have their turn", async () => {
    draw("plain");
    const refused = vi.spyOn(queue, "submit").mockResolvedValue({ kind: "draining" });
    expect(await ask()).toBe(false);
    refused.mockRestore();
    expect(await canaries()).toEqual([]);
    const asked = [];
    for (let each = 0; each < 2; each += 1) {
      expect(await ask()).toBe(true);
      asked.push((await deviceAt(0)).deviceId);
    }
    expect(new Set(asked).size).toBe(2);
    expect(await ask()).toBe(false);
  });

  it.each(["off", "watch"] as const)(
    "only if the organization acts on checks, so not in the mode %s",
    async (mode) => {
      await chooseMode(t, acme, mode);
      expect(await ask()).toBe(false);
    },
  );

  it("not from other devices of their owner only", async () => {
    const { memberId: owner } = await joinAs(t, session, { name: "Ann", roles: ["donor"] });
    for (const { deviceId } of devices)
      await t.mutation(api.console.devices.setOwner, { session, deviceId, owner });
    expect(await ask()).toBe(false);
  });

  it("within the budget of replays", async () => {
    draw("plain");
    const [one, two] = devices as [Device, Device];
    await answerJob(t, acme, one);
    await choose(t);
    await pass(t, 5 * 60_000);
    expect(await canaries()).toEqual([]);
    await endProbation(t, acme, one, two);
    await t.run(async (ctx) => {
      const row = present(await ctx.db.query("checkSpending").unique(), "spending");
      await ctx.db.patch("checkSpending", row._id, { answerMs: 1_000_000, replayMs: 0 });
    });
    await answerJob(t, acme, one);
    await choose(t);
    await pass(t, 5 * 60_000);
    expect(await canaries()).toHaveLength(1);
    const row = await t.run(async (ctx) => await ctx.db.query("checkSpending").unique());
    expect(row?.replayMs).toBeGreaterThan(4_500);
  });

  it("within the budget of replays, counted by their own bounds of tokens", async () => {
    vi.mocked(drawCanary).mockReset();
    const [one] = devices as [Device];
    const request = { ...chat(), maxTokens: 1_024 };
    const askIn = async (answerMs: number): Promise<void> => {
      await completeJob(t, one, await submitWork(t, acme.apiKey, { kind: "chat", request }));
      await choose(t);
      for (const device of devices) await leaveUnchecked(t, acme, device);
      await t.run(async (ctx) => {
        const row = present(await ctx.db.query("checkSpending").unique(), "spending");
        await ctx.db.patch("checkSpending", row._id, { answerMs, replayMs: 0, canaryAt: 0 });
        await askCanarySoon(ctx, acme.organizationId, Date.now());
      });
      await pass(t, 5 * 60_000);
    };
    await askIn(1_000_000);
    expect(await canaries()).toEqual([]);
    await askIn(3_000_000);
    expect(await canaries()).toHaveLength(1);
    const row = await t.run(async (ctx) => await ctx.db.query("checkSpending").unique());
    expect(row?.replayMs).toBeGreaterThan(60_000);
  });
});

describe("the organization", () => {
  it("pays canaries as it pays checks, and no requester does", async () => {
    draw("plain");
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const before = await micro(keyAccount(keyId));
    await ask();
    await answerBoth(long, long);
    const [first, second] = await Promise.all([deviceAt(0), deviceAt(1)]);
    // The pay of new devices is held.
    const paid = await micro(heldAccount(first.deviceId));
    expect(paid).toBeGreaterThan(0n);
    expect(await micro(heldAccount(second.deviceId))).toBe(paid);
    expect(await micro(keyAccount(keyId))).toBe(before);
    expect(await micro(checkAccount(acme.organizationId))).toBeLessThanOrEqual(-2n * paid);
    const key = await t.run(async (ctx) => (await ctx.db.query("orders").first())?.apiKeyId);
    expect(key).not.toBe(keyId);
  });

  it("has prompts of its own, which are bounded and audited", async () => {
    const set = async (prompts: string[]) =>
      await t.mutation(api.console.fleet.checks.setCanaries, { session, prompts });
    await set(["Greet {name}.", "Describe {city}."]);
    const { prompts } = await t.query(api.console.fleet.checks.canaryPool, { session });
    expect(prompts).toEqual(["Greet {name}.", "Describe {city}."]);
    await expectRefusal(set([""]), "invalid");
    await expectRefusal(set(["x".repeat(501)]), "invalid");
    await expectRefusal(set(Array.from({ length: 21 }, (_, at) => `Prompt ${String(at)}`)), "invalid");
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 1, cursor: null },
    });
    expect(page).toMatchObject([{ action: "checks.canaries-changed", detail: "own prompts: 0 → 2" }]);
  });

  it("keeps its prompts and the key of canaries when it changes its house rules", async () => {
    draw("plain");
    await t.mutation(api.console.fleet.checks.setCanaries, { session, prompts: ["Greet {name}."] });
    await ask();
    const keys = async () => new Set((await ordersOf()).map(({ apiKeyId }) => apiKeyId));
    const before = await keys();
    const rules = { expireMonths: 12, bonus: null, payout: null };
    await t.mutation(api.console.money.houseRules.set, { session, ...rules });
    await ask();
    expect(await keys()).toEqual(before);
    const { prompts } = await t.query(api.console.fleet.checks.canaryPool, { session });
    expect(prompts).toEqual(["Greet {name}."]);
  });

  it("can do nothing with the key of canaries but revoke it", async () => {
    draw("plain");
    await ask();
    const [keyId] = (await ordersOf()).map(({ apiKeyId }) => apiKeyId);
    const key = { session, keyId: present(keyId ?? null, "key of a canary") };
    const { page } = await t.query(api.console.keys.list, {
      ...key,
      paginationOpts: { numItems: 1, cursor: null },
    });
    expect(page).toMatchObject([{ name: "Canaries", ofCanaries: true }]);
    const { keys, money } = api.console;
    const secret = { keyHash: "ab".repeat(32), prefix: "gk_abcdefgh", overlapMs: 0 };
    await expectRefusal(t.mutation(keys.rotate, { ...key, ...secret }), "invalid");
    const { memberId: owner } = await joinAs(t, session, { name: "Ann", roles: ["requester"] });
    await expectRefusal(t.mutation(keys.setOwner, { ...key, owner }), "invalid");
    await expectRefusal(t.mutation(keys.setRights, { ...key, mayRequire: true }), "invalid");
    await expectRefusal(t.mutation(keys.setAccess, { ...key, models: [modelId] }), "invalid");
    await expectRefusal(t.mutation(keys.setLimit, { ...key, concurrency: 1, weight: null }), "invalid");
    await expectRefusal(
      t.mutation(money.grants.change, { session, holder: key.keyId, micro: 1n, reason: "Gift" }),
      "invalid",
    );
    const terms = { every: "month", kind: "add", micro: 1n, reason: "Monthly" } as const;
    await expectRefusal(
      t.mutation(money.allowances.set, { session, holder: key.keyId, ...terms }),
      "invalid",
    );
    const move = { session, keyId: key.keyId, moveId: "to the canaries", micro: 1n };
    await expectRefusal(t.mutation(money.credits.toKey, move), "not_found");
    await t.mutation(keys.revoke, key);
    await ask();
    expect(new Set((await ordersOf()).map(({ apiKeyId }) => apiKeyId)).size).toBe(2);
  });

  it("sees their results", async () => {
    draw("plain");
    await ask();
    await answerBoth(long, long);
    const paginationOpts = { numItems: 5, cursor: null };
    const { page } = await t.query(api.console.fleet.checks.canaries, { session, paginationOpts });
    const { deviceIds, jobIds } = await newest();
    expect(page).toMatchObject([
      {
        jobId: jobIds[0],
        device: { deviceId: deviceIds[0] },
        others: [{ deviceId: deviceIds[1] }],
        state: "fits",
      },
    ]);
    const { counts } = await t.query(api.console.fleet.checks.canaryPool, { session });
    expect(counts).toEqual([{ state: "fits", count: 1 }]);
  });
});
