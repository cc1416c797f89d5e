import { describe, expect, it } from "vitest";
import { csvOf } from "../format/csv.ts";
import { budgetState } from "./budget.ts";
import { carbonGrams, cloudTotal, kilowattHours, measuredShare } from "./comparison.ts";
import { usageCsv, usageRecords, type UsageRow } from "./usage-table.ts";

const row = (over: Partial<UsageRow> = {}): UsageRow => ({
  subject: "small",
  name: "small",
  jobs: 4,
  succeeded: 3,
  successRate: 0.75,
  promptTokens: 2_000_000,
  completionTokens: 500_000,
  micro: 1_500_000n,
  runMs: 7_200_000,
  energy: null,
  waitP50: 1_500,
  waitP95: null,
  ...over,
});

const facts = {
  cloudPrices: [{ modelId: "small", prompt: 0.5, completion: 2 }],
  currency: "EUR",
  watts: 50,
  gramsPerKwh: 300,
};

describe("a comparison with a cloud", () => {
  it("multiplies the tokens by the prices that were entered", () => {
    expect(cloudTotal([row()], facts.cloudPrices)).toEqual({ cost: 2, unpricedTokens: 0 });
  });

  it("tells the tokens of models without a price instead of guessing one", () => {
    const other = row({ subject: "large", promptTokens: 7, completionTokens: 3 });
    expect(cloudTotal([row(), other], facts.cloudPrices)).toEqual({ cost: 2, unpricedTokens: 10 });
    expect(cloudTotal([other], [])).toEqual({ cost: null, unpricedTokens: 10 });
  });
});

describe("energy and carbon", () => {
  it("are the power times the time, and that times the intensity of the grid", () => {
    expect(kilowattHours(row(), facts)).toBeCloseTo(0.1, 12);
    expect(carbonGrams(row(), facts)).toBeCloseTo(30, 12);
  });

  it("are unknown until the organization has entered the numbers", () => {
    expect(kilowattHours(row(), { watts: null, gramsPerKwh: 300 })).toBeNull();
    expect(carbonGrams(row(), { watts: 50, gramsPerKwh: null })).toBeNull();
    expect(carbonGrams(row(), { watts: null, gramsPerKwh: 300 })).toBeNull();
    expect(measuredShare(row(), { watts: null, gramsPerKwh: 300 })).toBeNull();
  });

  it("have the carbon of the hours in which the jobs ended, and the mean of all hours for what is not known by hour", () => {
    const gramsPerKwh = Array.from({ length: 24 }, (_, hour) => (hour < 12 ? 100 : 500));
    const energy = { microWh: 60_000_000, measuredMicroWh: 0, runMs: 7_200_000 };
    const told = row({ energy: { ...energy, byHour: { 3: 40_000_000, 13: 10_000_000 } } });
    expect(carbonGrams(told, { watts: null, gramsPerKwh })).toBeCloseTo(4 + 5 + 3, 12);
    expect(carbonGrams(row({ energy }), { watts: null, gramsPerKwh })).toBeCloseTo(18, 12);
    expect(carbonGrams(row(), { watts: 50, gramsPerKwh })).toBeCloseTo(30, 12);
  });

  it("are those that devices told, and the power counts only for the time of the others", () => {
    const energy = { microWh: 60_000_000, measuredMicroWh: 15_000_000, runMs: 3_600_000 };
    const told = row({ energy });
    expect(kilowattHours(told, { watts: null, gramsPerKwh: 300 })).toBeCloseTo(0.06, 12);
    expect(carbonGrams(told, { watts: null, gramsPerKwh: 300 })).toBeCloseTo(18, 12);
    expect(kilowattHours(told, facts)).toBeCloseTo(0.11, 12);
    expect(measuredShare(told, { watts: null, gramsPerKwh: null })).toBeCloseTo(0.25, 12);
    expect(kilowattHours(row({ energy, runMs: 0 }), facts)).toBeCloseTo(0.06, 12);
  });
});

describe("a budget", () => {
  it.each([
    [79n, "ok"],
    [80n, "near"],
    [99n, "near"],
    [100n, "over"],
    [250n, "over"],
  ] as const)("of 100 with %d spent is %s", (spent, state) => {
    expect(budgetState(spent, 100n)).toBe(state);
  });
});

describe("a usage table", () => {
  it("has the same columns and values as CSV and for programs", () => {
    const [record] = usageRecords("model", [row()], facts);
    expect(record).toEqual({
      model: "small",
      jobs: 4,
      answered: 3,
      success_rate: 0.75,
      prompt_tokens: 2_000_000,
      completion_tokens: 500_000,
      device_seconds: 7_200,
      wait_p50_seconds: 1.5,
      wait_p95_seconds: null,
      credits: 1.5,
      cloud_cost: 2,
      energy_kwh: 0.1,
      energy_measured_share: 0,
      co2_grams: 30,
    });
    const [header, line] = usageCsv("model", [row()], facts).split("\r\n");
    expect(header).toBe(Object.keys(record!).join(","));
    expect(line).toBe("small,4,3,0.75,2000000,500000,7200,1.5,,1.5,2,0.1,0,30");
  });

  it("has the ids and the names of keys", () => {
    const csv = usageCsv("key", [row({ subject: "k1", name: 'Nightly "batch", Zürich' })], facts);
    expect(csv.split("\r\n")[1]).toMatch(/^k1,"Nightly ""batch"", Zürich",4,/);
  });
});

describe("CSV", () => {
  it("quotes commas, quotes and line breaks", () => {
    expect(csvOf(["a", "b"], [["1,2", 'say "x"\nnow']])).toBe('a,b\r\n"1,2","say ""x""\nnow"\r\n');
  });

  it("lets no text become a formula of a spreadsheet, and keeps negative numbers", () => {
    expect(csvOf(["a"], [["=1+1"], ["@x"], ["-x"], [-5], [null]])).toBe(
      "a\r\n'=1+1\r\n'@x\r\n'-x\r\n-5\r\n\r\n",
    );
  });
});
