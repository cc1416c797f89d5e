import { expect, it } from "vitest";
import { allowsModel, type DeviceLimits, limitWords } from "./limits.ts";

it.each<[DeviceLimits, readonly string[]]>([
  [{}, []],
  [{ gpu: true }, []],
  [{ maxConcurrentJobs: 1 }, ["1 job at once"]],
  [{ models: [] }, ["no model"]],
  [{ kinds: [] }, ["no kind of job"]],
  [
    { kinds: ["chat", "embedding"], contextTokens: 8_192 },
    ["only chat, embedding jobs", "8,192 tokens of context"],
  ],
  [
    { models: ["a", "b"], memoryMb: 8_192, gpu: false, maxConcurrentJobs: 2 },
    ["2 jobs at once", "only a, b", "8.6 GB of memory", "no jobs that need a GPU"],
  ],
])("limits %j are shown as %j", (limits, words) => {
  expect(limitWords(limits)).toEqual(words);
});

it("limits without a list of models allow each model", () => {
  expect([{}, { models: ["a"] }, { models: [] }].map((limits) => allowsModel(limits, "a"))).toEqual([
    true,
    true,
    false,
  ]);
});
