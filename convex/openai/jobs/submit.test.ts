import { ConvexError } from "convex/values";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Id } from "../../_generated/dataModel.js";
import type { GaveWay, Turn } from "../../model/ledger/portions.ts";
import { type Submission, submit } from "./submit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
});

type Asked = { readonly handOver?: boolean; readonly turn?: Turn };

const submission: Submission = {
  keyId: "k" as Id<"apiKeys">,
  model: "m",
  work: { kind: "tokens", request: { content: "Hi", addSpecial: true, withPieces: false } } as never,
  stream: false,
  idempotencyKey: "once",
};
const gaveWay = (shard: number | null, pool = "p"): ConvexError<GaveWay> =>
  new ConvexError({ kind: "gave-way" as const, pool, shard });
const outrun = new Error("OptimisticConcurrencyControlFailure: Documents changed");

/** Submits, and answers the calls of the mutation with these errors. @returns what each call asked, and the end. */
async function submitWith(...errors: readonly Error[]): Promise<{ asked: Asked[]; end: string }> {
  const asked: Asked[] = [];
  const runMutation = async (_: unknown, args: Asked): Promise<unknown> => {
    const error = errors[asked.length];
    asked.push(args);
    return await (error === undefined ? Promise.resolve({ jobId: "j" }) : Promise.reject(error));
  };
  const ended = submit({ runMutation: runMutation as never }, submission);
  await vi.runAllTimersAsync();
  return { asked, end: (await ended).kind };
}

const waysOf = (asked: readonly Asked[]) => asked.map(({ handOver, turn }) => ({ handOver, turn }));

it("a submission goes to the portion that it was told, and still hands its job over", async () => {
  const { asked, end } = await submitWith(gaveWay(7), gaveWay(9, "q"));
  expect(end).toBe("ok");
  expect(waysOf(asked)).toEqual([
    { handOver: true, turn: { shards: {}, gathers: false } },
    { handOver: true, turn: { shards: { p: 7 }, gathers: false } },
    { handOver: true, turn: { shards: { p: 7, q: 9 }, gathers: false } },
  ]);
});

it("a submission waits for a random time before it fills the portions", async () => {
  const at = Date.now();
  const { asked } = await submitWith(gaveWay(7), gaveWay(null));
  expect(asked.at(-1)?.turn).toEqual({ shards: {}, gathers: true });
  expect(Date.now()).toBeGreaterThan(at);
});

it("a submission gives way eight times at most", async () => {
  const { asked, end } = await submitWith(...Array.from({ length: 8 }, () => gaveWay(1)));
  expect(end).toBe("ok");
  expect(asked.map(({ turn }) => turn !== undefined)).toEqual([
    ...Array.from({ length: 8 }, () => true),
    false,
  ]);
});

it("a submission that others outran is queued, not handed over, and tried five times more", async () => {
  const { asked, end } = await submitWith(...Array.from({ length: 9 }, () => outrun));
  expect(end).toBe("failed");
  expect(asked.map(({ handOver }) => handOver)).toEqual([
    true,
    ...Array.from({ length: 5 }, () => undefined),
  ]);
});

it("a submission that failed otherwise is tried once more, and a refusal is final", async () => {
  const broken = new Error("Your request could not be completed");
  expect((await submitWith(broken, broken)).asked).toHaveLength(2);
  const refusal = new ConvexError({ code: "quota_exceeded", message: "No." });
  expect(await submitWith(refusal)).toMatchObject({ end: "refused", asked: [{ handOver: true }] });
});
