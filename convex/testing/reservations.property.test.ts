import { componentsGeneric, type FunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isFinal } from "../../app/jobs/states.ts";
import { api, internal } from "../_generated/api.js";
import { escrowAccount } from "../model/ledger/transfer.ts";
import type { Owner } from "../model/owners.ts";
import {
  addDevice,
  allJobs,
  type Backend,
  chat,
  complete,
  type Device,
  expectBooksInOrder,
  fail,
  modelId,
  type Organization,
  pass,
  release,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const hourMs = 3_600_000;

/** One act of a requester, a device, an admin or time. `who` and `what` choose among those that there are. */
const acts = [
  "submit",
  "take",
  "complete",
  "fail",
  "fail-for-good",
  "release",
  "cancel",
  "prioritize",
  "retry",
  "retire-device",
  "reinstate-device",
  "retire-model",
  "reinstate-model",
  "prices",
  "own-key",
  "own-device",
  "wait",
] as const;

type Act = {
  readonly kind: (typeof acts)[number];
  readonly who: number;
  readonly what: number;
  readonly ms: number;
};

const anyAct: fc.Arbitrary<Act> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant("submit" as const) },
    { weight: 4, arbitrary: fc.constant("take" as const) },
    { weight: 8, arbitrary: fc.constantFrom(...acts) },
  ),
  who: fc.nat(7),
  what: fc.nat(30),
  // Shorter and longer than hand-overs, leases, second attempts and expiries.
  ms: fc.constantFrom(0, 600, 3_000, 20_000, 45_000, 200_000, 2 * hourMs),
});

const levels = ["low", "normal", "high"] as const;

/** An organization with three devices, and the jobs and attempts so far. */
class Farm {
  readonly #t: Backend;
  readonly #acme: Organization;
  readonly #session: string;
  readonly #devices: readonly Device[];
  /** A team, its member, and another member. */
  readonly #owners: readonly Owner[];
  readonly #jobs: string[] = [];
  readonly #held: { readonly device: Device; readonly attemptId: string }[] = [];

  constructor(
    t: Backend,
    acme: Organization,
    session: string,
    devices: readonly Device[],
    owners: readonly Owner[],
  ) {
    this.#t = t;
    this.#acme = acme;
    this.#session = session;
    this.#devices = devices;
    this.#owners = owners;
  }

  /** A refusal is an outcome like any other. */
  async act(act: Act): Promise<void> {
    try {
      await this.#perform(act);
    } catch (error) {
      if (!(error instanceof ConvexError)) throw error;
    }
    await pass(this.#t, 1);
  }

  async #perform({ kind, who, what, ms }: Act): Promise<void> {
    const t = this.#t;
    const session = this.#session;
    const { apiKey } = this.#acme;
    const device = this.#devices[who % this.#devices.length] as Device;
    const jobId = this.#jobs[what % Math.max(1, this.#jobs.length)] ?? "none";
    const held = this.#held[what % Math.max(1, this.#held.length)];
    const priority = levels[who % levels.length] ?? "normal";
    switch (kind) {
      case "submit":
        await this.#submit(priority, who, ms);
        return;
      case "take":
        await this.#take(device);
        return;
      case "complete":
        if (held !== undefined) await complete(t, held.device, held.attemptId);
        return;
      case "fail":
      case "fail-for-good":
        if (held !== undefined) await fail(t, held.device, held.attemptId, { retryable: kind === "fail" });
        return;
      case "release":
        if (held !== undefined) await release(t, held.device, held.attemptId);
        return;
      case "cancel":
        await t.mutation(api.requests.cancel, { apiKey, jobId });
        return;
      case "prioritize":
        await t.mutation(api.requests.setPriority, { apiKey, jobId, priority });
        return;
      case "retry":
        await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
        return;
      case "retire-device":
        await t.mutation(api.console.devices.retire, { session, deviceId: device.deviceId });
        return;
      case "reinstate-device":
        await t.mutation(api.console.devices.reinstate, { session, deviceId: device.deviceId });
        return;
      case "retire-model":
        await t.mutation(api.console.models.retire, { session, modelId });
        return;
      case "reinstate-model":
        await t.mutation(api.console.models.reinstate, { session, modelId });
        return;
      case "own-key":
        await this.#own("apiKeys", what);
        return;
      case "own-device":
        await this.#own("devices", what, device.deviceId);
        return;
      case "prices":
        await t.mutation(api.console.models.setPriorityPrices, {
          session,
          low: 50,
          normal: 100,
          high: 100 + 10 * what,
        });
        return;
      case "wait":
        await pass(t, ms);
        await expireOverdue(t);
    }
  }

  async #submit(priority: (typeof levels)[number], who: number, ms: number): Promise<void> {
    const t = this.#t;
    const { keyId } = await t.query(internal.requests.identify, { apiKey: this.#acme.apiKey });
    const { jobId } = await t.mutation(internal.requests.submit, {
      keyId,
      model: modelId,
      work: { kind: "chat", request: chat() },
      stream: who % 2 === 0,
      priority,
      handOver: who % 3 === 0,
      ...(ms >= 45_000 ? { expiresInMs: ms } : {}),
    });
    this.#jobs.push(jobId);
  }

  /** Gives the key or a device to a member, to a team, or to the organization. */
  async #own(table: "apiKeys" | "devices", what: number, deviceId?: Device["deviceId"]): Promise<void> {
    const owner = [...this.#owners, undefined][what % (this.#owners.length + 1)];
    await this.#t.run(async (ctx) => {
      const id = deviceId ?? (await ctx.db.query("apiKeys").first())!._id;
      await ctx.db.patch(table as "devices", id as Device["deviceId"], { owner });
    });
  }

  async #take(device: Device): Promise<void> {
    const { key } = device;
    const outcome = await this.#t.mutation(api.work.take, { key, demand: { jobs: 1 } });
    if (outcome.kind !== "ok") return;
    for (const { attemptId } of outcome.jobs) this.#held.push({ device, attemptId });
    const attemptIds = outcome.jobs.filter(({ begun }) => !begun).map(({ attemptId }) => attemptId);
    if (attemptIds.length > 0) await this.#t.mutation(api.work.start, { key, attemptIds });
  }

  /** Ends all jobs: the requester cancels them, or they expire. */
  async endAll(byTime: boolean): Promise<void> {
    if (byTime) await this.act({ kind: "wait", who: 0, what: 0, ms: 30 * hourMs });
    else for (const [what] of this.#jobs.entries()) await this.act({ kind: "cancel", who: 0, what, ms: 0 });
    for (let minute = 0; minute < 10; minute += 1) await pass(this.#t, 60_000);
  }
}

/** The queue's check of each minute, which the tests' backend does not run by itself. */
async function expireOverdue(t: Backend): Promise<void> {
  const { maintenance } = componentsGeneric()["queue"] as unknown as {
    readonly maintenance: {
      readonly expireOverdue: FunctionReference<"mutation", "internal", Record<string, never>>;
    };
  };
  await t.run(async (ctx) => {
    await ctx.runMutation(maintenance.expireOverdue, {});
  });
  await pass(t, 10);
}

/** The credits that are reserved for jobs. */
async function reserved(t: Backend, { organizationId }: Organization): Promise<bigint> {
  const entries = await t.run(async (ctx) => await ctx.db.query("ledgerEntries").collect());
  return entries
    .filter(({ account }) => account === escrowAccount(organizationId))
    .reduce((sum, { micro }) => sum + micro, 0n);
}

async function addOwners(t: Backend, session: string): Promise<readonly Owner[]> {
  const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" });
  const ada = await joinAs(t, session, { name: "Ada", roles: ["donor"] });
  const bo = await joinAs(t, session, { name: "Bo", roles: ["donor"] });
  await t.mutation(api.console.people.setTeams, { session, memberId: ada.memberId, teamIds: [teamId] });
  return [teamId, ada.memberId, bo.memberId];
}

/** Expects that nobody was paid for finishing their own job. */
async function expectOwnJobsUnpaid(t: Backend): Promise<void> {
  const [orders, entries] = await t.run(async (ctx) => [
    await ctx.db.query("orders").collect(),
    await ctx.db.query("ledgerEntries").collect(),
  ]);
  for (const { jobId, priceMicro } of orders.filter(({ ownJob }) => ownJob === true)) {
    const paid = entries.filter((entry) => entry.jobId === jobId && entry.account.startsWith("device:"));
    const sum = paid.reduce((total, { micro }) => total + micro, 0n);
    expect(sum).toBe(priceMicro);
    // Only a device that another one outran may get a part of it.
    expect(paid.some(({ micro }) => micro === 0n)).toBe(true);
  }
}

it("reservations end with their jobs, whatever happens to them", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyAct, { minLength: 10, maxLength: 60 }),
      fc.boolean(),
      async (all, byTime) => {
        const { t, acme, session } = await openWorld();
        try {
          const devices = [];
          for (const name of ["one", "two", "three"]) devices.push(await addDevice(t, acme, name));
          const farm = new Farm(t, acme, session, devices, await addOwners(t, session));
          for (const act of all) {
            await farm.act(act);
            expect(await reserved(t, acme)).toBeGreaterThanOrEqual(0n);
          }
          await farm.endAll(byTime);
          const open = (await allJobs(t, acme)).filter(({ status }) => !isFinal(status));
          expect(open).toEqual([]);
          expect(await reserved(t, acme)).toBe(0n);
          await expectBooksInOrder(t);
          await expectOwnJobsUnpaid(t);
        } finally {
          closeWorld();
        }
      },
    ),
    { numRuns: 15 },
  );
});
