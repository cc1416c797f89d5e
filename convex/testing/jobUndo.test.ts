import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changedAtOnce, changeHeldMs } from "../../app/jobs/limits.ts";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  answerMicro,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  fail,
  listKeys,
  pass,
  release,
  signIn,
  statusOf,
  submit,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

async function audited(subject: string): Promise<readonly string[]> {
  const { page } = await t.query(api.console.audit.list, {
    session,
    paginationOpts: { numItems: 50, cursor: null },
  });
  return page.filter((entry) => entry.subject === subject).map(({ action }) => action);
}

const balanceOf = async () => (await listKeys(t, session))[0]?.balanceMicro ?? 0n;

describe("a cancel from the console", () => {
  const cancel = async (...jobIds: string[]) =>
    await t.mutation(api.console.jobs.changeSoon, { session, act: "cancel", jobIds });

  it("happens after eight seconds without a page, also to a running job", async () => {
    const device = await addDevice(t, acme);
    const waiting = await submit(t, acme);
    const running = await submit(t, acme);
    await claim(t, device, running);
    const before = await balanceOf();
    expect(await cancel(waiting, running)).toMatchObject({ at: Date.now() + changeHeldMs });
    await pass(t, changeHeldMs - 1_000);
    expect(await statusOf(t, acme, waiting)).toBe("ready");
    expect(await statusOf(t, acme, running)).toBe("running");
    expect(await balanceOf()).toBe(before);
    await pass(t, 1_000);
    expect(await statusOf(t, acme, waiting)).toBe("canceled");
    expect(await statusOf(t, acme, running)).toBe("canceled");
    expect(await audited(running)).toEqual(["job.canceled"]);
    expect(await balanceOf()).toBeGreaterThan(before);
  });

  it("can be undone until then, and the jobs go on as if nothing had happened", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    const { heldId } = await cancel(jobId);
    await pass(t, changeHeldMs - 1_000);
    expect(await t.mutation(api.console.jobs.undoChange, { session, heldId })).toEqual({ kind: "undone" });
    await pass(t, 10_000);
    expect(await statusOf(t, acme, jobId)).toBe("running");
    await complete(t, device, attemptId);
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
    expect(await audited(jobId)).toEqual(["job.cancel-undone"]);
  });

  it("cannot be undone after it happened", async () => {
    const jobId = await submit(t, acme);
    const { heldId } = await cancel(jobId);
    await pass(t, changeHeldMs);
    expect(await t.mutation(api.console.jobs.undoChange, { session, heldId })).toEqual({
      kind: "too-late",
    });
    expect(await statusOf(t, acme, jobId)).toBe("canceled");
    expect(await audited(jobId)).toEqual(["job.canceled"]);
  });

  it("leaves a job alone that ended in the meantime", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    await cancel(jobId);
    await complete(t, device, attemptId);
    await pass(t, changeHeldMs);
    expect(await statusOf(t, acme, jobId)).toBe("succeeded");
    expect(await audited(jobId)).toEqual([]);
  });

  it("happens once, however many ask for it, and one undo keeps the job", async () => {
    const jobId = await submit(t, acme);
    const first = await cancel(jobId);
    await pass(t, 1_000);
    await cancel(jobId);
    await t.mutation(api.console.jobs.undoChange, { session, heldId: first.heldId });
    await pass(t, 10_000);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    await cancel(jobId);
    await pass(t, changeHeldMs);
    expect(await statusOf(t, acme, jobId)).toBe("canceled");
  });

  it("leaves a job alone that failed and was retried meanwhile", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, device, jobId);
    await cancel(jobId);
    await fail(t, device, attemptId, { retryable: false });
    await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    await pass(t, changeHeldMs);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("cancels many jobs piece by piece", async () => {
    const jobIds: string[] = [];
    for (let n = 0; n < 25; n += 1) jobIds.push(await submit(t, acme));
    await cancel(...jobIds);
    await pass(t, changeHeldMs);
    for (let piece = 0; piece < 3; piece += 1) await pass(t, 10);
    for (const jobId of jobIds) expect(await statusOf(t, acme, jobId)).toBe("canceled");
    expect(await t.run(async (ctx) => await ctx.db.query("heldCancels").collect())).toEqual([]);
  });

  it("is for jobs of the organization only, and for a bounded number", async () => {
    const jobId = await submit(t, acme);
    const { heldId } = await cancel(jobId);
    const other = await signIn(t, await addOrganization(t, { name: "Other" }));
    await expectRefusal(
      t.mutation(api.console.jobs.changeSoon, { session: other, act: "cancel", jobIds: [jobId] }),
      "not_found",
    );
    await expectRefusal(t.mutation(api.console.jobs.undoChange, { session: other, heldId }), "not_found");
    await expectRefusal(cancel(), "invalid");
    await expectRefusal(cancel(...Array<string>(changedAtOnce + 1).fill(jobId)), "invalid");
  });
});

describe.each(["retry", "discard"] as const)("a %s of failed jobs from the console", (act) => {
  async function failed(): Promise<string> {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    return jobId;
  }
  const change = async (...jobIds: string[]) =>
    await t.mutation(api.console.jobs.changeSoon, { session, act, jobIds });
  const canRetry = async (jobId: string) =>
    (await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).kind === "ready";

  it("happens after eight seconds to those that it fits", async () => {
    const [jobId, open] = [await failed(), await submit(t, acme)];
    await change(jobId, open);
    await pass(t, changeHeldMs - 1_000);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
    await pass(t, 1_000);
    expect(await statusOf(t, acme, jobId)).toBe(act === "retry" ? "ready" : "failed");
    expect(await canRetry(jobId)).toBe(false);
    expect(await statusOf(t, acme, open)).toBe("ready");
    expect(await audited(jobId)).toEqual([act === "retry" ? "dead-letter.retried" : "dead-letter.discarded"]);
    expect(await audited(open)).toEqual([]);
  });

  it("can be undone until then, and the job can still be retried", async () => {
    const jobId = await failed();
    const { heldId } = await change(jobId);
    await pass(t, changeHeldMs - 1_000);
    expect(await t.mutation(api.console.jobs.undoChange, { session, heldId })).toEqual({ kind: "undone" });
    await pass(t, 10_000);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
    expect(await audited(jobId)).toEqual([`dead-letter.${act}-undone`]);
    expect(await canRetry(jobId)).toBe(true);
  });
});

describe("a retry of all failed jobs", () => {
  async function failed(): Promise<string> {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    return jobId;
  }
  const retryAll = async () => await t.mutation(api.console.jobs.retryAllSoon, { session });

  it("happens after eight seconds", async () => {
    const jobIds = [await failed(), await failed()];
    await retryAll();
    await pass(t, changeHeldMs - 1_000);
    for (const jobId of jobIds) expect(await statusOf(t, acme, jobId)).toBe("failed");
    await pass(t, 1_000);
    for (const jobId of jobIds) expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await audited("all")).toEqual(["dead-letters.retried"]);
  });

  it("can be undone until then, and not afterward", async () => {
    const jobId = await failed();
    const undo = async ({ heldId }: Awaited<ReturnType<typeof retryAll>>) =>
      await t.mutation(api.console.jobs.undoChange, { session, heldId });
    expect(await undo(await retryAll())).toEqual({ kind: "undone" });
    await pass(t, 2 * changeHeldMs);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
    expect(await audited("all")).toEqual(["dead-letters.retry-undone"]);
    const later = await retryAll();
    await pass(t, changeHeldMs);
    expect(await undo(later)).toEqual({ kind: "too-late" });
  });
});

describe("a change of a job's priority", () => {
  async function raise(jobId: string): Promise<number> {
    const outcome = await t.mutation(api.console.jobs.setPriority, { session, jobId, priority: "high" });
    if (outcome.kind !== "changed") throw new Error(outcome.kind);
    return outcome.at;
  }
  const undo = async (jobId: string, at: number) =>
    (await t.mutation(api.console.jobs.undoPriority, { session, jobId, at })).kind;

  beforeEach(async () => {
    await t.mutation(api.console.models.setPriorityPrices, { session, high: 200, normal: 100, low: 50 });
  });

  it("is undone together with its price, any number of times", async () => {
    const jobId = await submit(t, acme);
    const before = await balanceOf();
    for (let time = 0; time < 3; time += 1) {
      const at = await raise(jobId);
      expect(await balanceOf()).toBeLessThan(before);
      expect(await undo(jobId, at)).toBe("undone");
      expect(await balanceOf()).toBe(before);
    }
    expect(await audited(jobId)).toContain("job.priority-undone");
    const device = await addDevice(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    const order = await t.run(async (ctx) => await ctx.db.query("orders").first());
    expect(order).toMatchObject({ priority: "normal", priceMicro: answerMicro });
  });

  it("is not undone once a device has taken the job, so nobody gets ahead for nothing", async () => {
    const jobId = await submit(t, acme);
    const at = await raise(jobId);
    const device = await addDevice(t, acme);
    const attemptId = await claim(t, device, jobId);
    expect(await undo(jobId, at)).toBe("too-late");
    await release(t, device, attemptId);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await undo(jobId, at)).toBe("too-late");
  });

  it("is not undone either if a device had started it before, and another took it since", async () => {
    const jobId = await submit(t, acme);
    const device = await addDevice(t, acme);
    await release(t, device, await claim(t, device, jobId));
    const at = await raise(jobId);
    const other = await addDevice(t, acme, "other");
    await release(t, other, await claim(t, other, jobId));
    expect(await undo(jobId, at)).toBe("too-late");
  });

  it("is not undone after a minute, or after another change", async () => {
    const jobId = await submit(t, acme);
    const at = await raise(jobId);
    await pass(t, 1_000);
    await t.mutation(api.console.jobs.setPriority, { session, jobId, priority: "low" });
    expect(await undo(jobId, at)).toBe("too-late");
    const late = await submit(t, acme);
    const lateAt = await raise(late);
    await pass(t, 60_001);
    expect(await undo(late, lateAt)).toBe("too-late");
  });
});
