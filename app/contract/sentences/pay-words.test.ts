import { expect, it } from "vitest";
import { explainPay, type PayReason, payWords } from "./pay-words.ts";

const formula = {
  promptTokens: 1_804,
  completionTokens: 3,
  promptMicro: "290000",
  completionMicro: "6",
  percent: 100,
  version: "3.1",
};
const sum = "1,804 tokens in × 290 + 3 out × 0.006 credits per 1,000 (price version 3.1)";
const paid = { kind: "paid", formula, limited: false } as const;
const half = "limited to half of the answer’s price";

it.each<[PayReason, string]>([
  [paid, sum],
  [{ ...paid, limited: true }, `${sum}, limited to the highest price of the request`],
  [
    { ...paid, bonus: { micro: "1500000", percent: 50 } },
    `${sum}, + 1.5 bonus (50% in bonus hours, up to the cap of the day)`,
  ],
  [
    { ...paid, check: { kind: "held" } },
    `${sum}. It is held until checks have decided about this device’s answers`,
  ],
  [
    { ...paid, check: { kind: "refused" } },
    `${sum}. It is not paid: checks found an answer of this device, or its tokens, wrong`,
  ],
  [
    { ...paid, check: { kind: "taken", micro: "38" } },
    `${sum}. 0.000038 of it were taken back: checks found this answer, or its tokens, wrong`,
  ],
  [{ kind: "own-job" }, "Your own job, which costs nothing and earns nothing"],
  [
    { kind: "unheard" },
    "Not paid, because another device of the same people has answered or checked this already",
  ],
  [{ kind: "outrun", slow: false }, "Another device finished first"],
  [{ kind: "outrun", slow: true }, "It took too long, and another device finished first"],
  [
    { kind: "outrun", slow: false, part: {} },
    "Another device finished first. Paid for the part that it had written, at most half of the answer’s price",
  ],
  [
    { kind: "outrun", slow: false, part: { formula } },
    `Another device finished first. Paid for the part that it had written: ${sum}`,
  ],
  [
    { kind: "outrun", slow: false, part: { formula, limit: "half" } },
    `Another device finished first. Paid for the part that it had written: ${sum}, ${half}`,
  ],
  [
    { kind: "outrun", slow: false, part: { formula, limit: "rest" } },
    `Another device finished first. Paid for the part that it had written: ${sum}, limited to what the highest price of the request left`,
  ],
  [{ kind: "released" }, "Given back"],
  [{ kind: "released", reason: "in-use" }, "Given back: You are using it"],
  [{ kind: "released", reason: "shutdown" }, "Given back: Gleaner ended"],
  [{ kind: "released", reason: "constructor" }, "Given back: constructor"],
  [{ kind: "failed" }, "Failed"],
  [
    { kind: "failed", error: { code: "runner_crashed", message: "It fell." } },
    "Failed: The runner ended unexpectedly.",
  ],
  [{ kind: "failed", error: { code: "new_code", message: "It is new." } }, "Failed: It is new."],
  [{ kind: "stolen" }, "Taken by another device before it started"],
  [{ kind: "lost" }, "The connection was lost"],
  [{ kind: "canceled" }, "Canceled by the requester"],
  [{ kind: "expired" }, "Not done in time"],
])("explains %j", (reason, words) => {
  expect(payWords(reason)).toBe(words);
});

it("says it otherwise to others than the donor", () => {
  expect(payWords({ kind: "released", reason: "in-use" }, "others")).toBe("Given back: In use");
  expect(payWords({ kind: "own-job" }, "others")).toMatch(/^A job of the device’s own people/);
});

it("uses the English text of a backend of another version", () => {
  const explanation = "given back";
  expect(explainPay({ explanation })).toBe(explanation);
  expect(explainPay({ pay: { kind: "newer" } as unknown as PayReason, explanation })).toBe(explanation);
  expect(explainPay({ pay: { kind: "lost" }, explanation })).toBe("The connection was lost");
});
