import fc from "fast-check";
import { expect, it } from "vitest";
import { type EndedJob, foldJobs, tallyEach } from "../statistics/fold.ts";
import { tokensOfDevices } from "../statistics/model-tokens.ts";
import { mergeSubjects, mergeTallies, mostSubjects, type SubjectTally } from "../statistics/tally.ts";
import { figuresOf } from "./figures.ts";
import { daySumOf, mergeDays, sumOfDays } from "./months.ts";

const name = (prefix: string, most: number) => fc.nat(most).map((at) => `${prefix}${String(at)}`);

/** A job with a device that answered it, if it was answered, and the pay of that device. */
const job: fc.Arbitrary<EndedJob> = fc
  .record({
    model: name("m", 70),
    key: name("k", 90),
    owner: fc.option(
      fc.record({ kind: fc.constantFrom("member" as const, "team" as const), id: name("o", 80) }),
    ),
    device: name("d", 70),
    outcome: fc.constantFrom(
      "succeeded" as const,
      "failed" as const,
      "canceled" as const,
      "expired" as const,
    ),
    promptTokens: fc.nat(1_000),
    completionTokens: fc.nat(1_000),
    micro: fc.bigInt(0n, 10n ** 9n),
    runMs: fc.nat(100_000),
    waitMs: fc.nat(100_000),
  })
  .map(({ device, outcome, promptTokens, completionTokens, micro, runMs, ...rest }): EndedJob => {
    const won = outcome === "succeeded";
    const group = `g${String(device.length)}`;
    return {
      ...rest,
      lane: "l",
      outcome,
      submittedAt: 0,
      usage: won ? { promptTokens, completionTokens } : null,
      micro: won ? micro : 0n,
      energy: won && promptTokens % 3 > 0 ? { microWh: runMs, source: "measured" } : null,
      attempts: won
        ? [{ device, group, status: "succeeded", isSteal: false, startedAt: 0, endedAt: runMs }]
        : [],
      earnings: won ? [{ device, group, micro }] : [],
    };
  });
const jobs = fc.array(job, { maxLength: 200 });

const totalOf = (subjects: readonly SubjectTally[]) =>
  figuresOf(mergeTallies(subjects.map(({ tally }) => tally)));

it("the totals of all groupings are equal, however many subjects are lumped together", () => {
  fc.assert(
    fc.property(jobs, jobs, (some, more) => {
      const [one, other] = [foldJobs(some), foldJobs(more)];
      const total = (kind: keyof typeof one) => totalOf(mergeSubjects([one[kind], other[kind]]));
      for (const kind of ["model", "key", "member", "team"] as const)
        expect(total(kind)).toEqual(total("all"));
      expect(total("group")).toEqual(total("device"));
      const { micro, runMs, promptTokens, energy } = total("all");
      expect(total("device")).toMatchObject({ micro, runMs, promptTokens, energy });
    }),
    { numRuns: 40 },
  );
});

it("the tokens of a device by model add up to its own", () => {
  fc.assert(
    fc.property(jobs, (some) => {
      const byModel = tokensOfDevices(some);
      for (const { subject, tally } of tallyEach("device", some)) {
        const { promptTokens, completionTokens, models } = daySumOf(0, tally, byModel.get(subject));
        const few = (models ?? []).length < mostSubjects;
        const sum = (of: "promptTokens" | "completionTokens") =>
          (models ?? []).reduce((total, model) => total + model[of], 0);
        if (few)
          expect([sum("promptTokens"), sum("completionTokens")]).toEqual([promptTokens, completionTokens]);
        else expect(sum("promptTokens")).toBeLessThanOrEqual(promptTokens);
      }
    }),
    { numRuns: 40 },
  );
});

it("the months of all keys, and of all devices, add up to the organization's", () => {
  fc.assert(
    fc.property(jobs, jobs, (some, more) => {
      const days = (kind: "all" | "key" | "device") =>
        [some, more].flatMap((list, day) => tallyEach(kind, list).map(({ tally }) => daySumOf(day, tally)));
      const total = sumOfDays(days("all"), 0);
      expect(sumOfDays(mergeDays([days("key")]), 0)).toEqual(total);
      const { micro, runMs, answered } = total;
      expect(sumOfDays(mergeDays([days("device")]), 0)).toMatchObject({ micro, runMs, answered });
    }),
    { numRuns: 40 },
  );
});
