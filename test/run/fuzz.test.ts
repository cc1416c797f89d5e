import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type * as gbnf from "../../app/jobs/grammar/gbnf.ts";
import { fuzz } from "../fuzz/fuzz.ts";
import { requestBodies } from "../fuzz/targets/request-bodies.ts";

const slow = vi.hoisted(() => ({ ms: 0 }));

/** The check of grammars, made slow on purpose. */
vi.mock("../../app/jobs/grammar/gbnf.ts", async (importOriginal) => {
  const original = await importOriginal<typeof gbnf>();
  return {
    ...original,
    grammarMistake: (grammar: string): string | null => {
      for (const until = performance.now() + slow.ms; performance.now() < until;);
      return original.grammarMistake(grammar);
    },
  };
});

beforeEach(() => void (slow.ms = 0));
afterEach(() => void (slow.ms = 0));

const noFarm = (): never => {
  throw new Error("the parsers need no backend");
};
const options = { seconds: 3, seed: 1, keep: false };

it("fuzzes the parsers without a finding", async () => {
  const result = await fuzz(requestBodies.name, await requestBodies.open(noFarm), options);
  expect(result.failure).toBeNull();
  expect(result.inputs).toBeGreaterThan(0);
});

it("finds a check of grammars that takes two seconds, although it refuses", async () => {
  const target = await requestBodies.open(noFarm);
  slow.ms = 2_000;
  const refused = { model: "m", messages: [{ role: "user", content: "x" }], grammar: ".{0,500}" };
  await expect(target.check(refused)).rejects.toThrow(
    /^parseChat took \d+ ms; at most \d+ are allowed here$/,
  );
});
