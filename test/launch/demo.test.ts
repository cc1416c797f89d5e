import { expect, test } from "vitest";
import * as z from "zod";
import { run } from "./program.ts";

const resultSchema = z.object({
  submitted: z.number(),
  succeeded: z.number(),
  lost: z.number(),
  retried: z.number(),
  correct: z.number(),
  graded: z.number(),
  tokensPerSecond: z.number().positive(),
  credits: z.object({
    spentMicro: z.number().positive(),
    earnedMicro: z.number().positive(),
    byDonor: z.record(z.string(), z.number()),
  }),
  ledgerSum: z.number(),
});

test("the demo loses no job, books every credit and answers correctly, although a donor is killed", async () => {
  const program = run("launch/demo.ts", ["--json"], {});
  expect(await program.ended, program.output()).toBe(0);
  const result = resultSchema.parse(JSON.parse(program.output()));
  expect(result).toMatchObject({ submitted: 24, succeeded: 24, lost: 0, ledgerSum: 0, graded: 24 });
  expect(result.retried).toBeGreaterThanOrEqual(1);
  expect(result.correct / result.graded).toBeGreaterThanOrEqual(0.8);
  expect(result.credits.earnedMicro).toBe(result.credits.spentMicro);
  expect(Object.keys(result.credits.byDonor).toSorted()).toEqual(["donor-1", "donor-2"]);
});
