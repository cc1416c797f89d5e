import { expect, it } from "vitest";
import type { Measures } from "../data/rows.ts";
import { nothingYet } from "./ask-api.ts";
import { measureFacts } from "./measure-words.ts";

const measures: Measures = {
  status: "succeeded",
  queuedMs: 1_240,
  ranMs: 900,
  attempts: 1,
  device: { platform: "win32 x64", gpu: true, memoryGb: 16 },
  usage: { promptTokens: 1_200, completionTokens: 30 },
  timing: { prefillMs: 40, generateMs: 600 },
  priceMicro: 27_000_000n,
};
const done = { ...nothingYet, firstTokenMs: 310.4, end: { kind: "done", ms: 2_040 } } as const;
const valuesOf = (...given: Parameters<typeof measureFacts>) =>
  Object.fromEntries(measureFacts(...given).map(({ label, value }) => [label, value]));

it("tells times, speed, tokens, price and the kind of device", () => {
  expect(valuesOf(done, measures)).toEqual({
    Waited: "1.2 s",
    "First token": "310 ms",
    Total: "2.0 s",
    Speed: "50 tokens/s",
    Tokens: "1,200 in, 30 out",
    Cost: "27 cr",
    Device: "Windows x64, GPU, up to 16 GB",
  });
});

it("has the same labels before anything is known", () => {
  const before = valuesOf(nothingYet, null);
  expect(Object.keys(before)).toEqual(Object.keys(valuesOf(done, measures)));
  expect(new Set(Object.values(before))).toEqual(new Set(["–"]));
});

it("tells when a job moved, and no speed of an answer without tokens", () => {
  const moved = {
    ...measures,
    attempts: 3,
    usage: { promptTokens: 5, completionTokens: 0 },
    device: { platform: "linux x64", gpu: false, memoryGb: null },
  };
  expect(valuesOf(done, moved)).toMatchObject({ Attempts: "3 devices", Speed: "–", Device: "Linux x64" });
});
