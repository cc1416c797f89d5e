import { expect, it } from "vitest";
import { noFacts } from "../../../app/usage/comparison.ts";
import { comparisonLines } from "./comparison-lines.ts";

const facts = {
  cloudPrices: [{ modelId: "small", prompt: 0.5, completion: 2 }],
  currency: "EUR",
  watts: 50,
  gramsPerKwh: 300,
};
const small = { subject: "small", promptTokens: 2_000_000, completionTokens: 500_000 };
const energy = { microWh: 60_000_000, measuredMicroWh: 15_000_000, runMs: 3_600_000 };

it("knows nothing of an organization that entered nothing, and of devices that told nothing", () => {
  const { cloud, energy: used, carbon } = comparisonLines(noFacts, [small], { runMs: 10, energy: null });
  expect([cloud.value, used.value, carbon.value]).toEqual([null, null, null]);
  expect(cloud.method).toBe("No price of a cloud is entered for these models.");
  expect(used.method).toBe("No device told its energy, and no power of a device is entered.");
  expect(carbon.method).toBe("No carbon intensity of the grid is entered.");
});

it("says the share of the energy that meters counted", () => {
  const lineOf = (measuredMicroWh: number) =>
    comparisonLines(noFacts, [], { runMs: 3_600_000, energy: { ...energy, measuredMicroWh } }).energy;
  expect(lineOf(15_000_000)).toMatchObject({ value: "60 Wh", note: "25% measured" });
  expect(lineOf(15_000_000).method).toContain("Meters counted 25% of it.");
  expect(lineOf(0)).toMatchObject({ note: "estimated" });
  expect(lineOf(0).method).toContain("Estimated from the hardware");
  expect(lineOf(60_000_000)).toMatchObject({ note: "measured" });
});

it("adds the entered power for the time of jobs whose device told no energy", () => {
  const work = { runMs: 7_200_000, energy };
  expect(comparisonLines(facts, [], work).energy.value).toBe("110 Wh");
  expect(comparisonLines(facts, [], work).energy.method).toContain("50 W (entered) × their time");
  const without = comparisonLines({ ...facts, watts: null }, [], work).energy;
  expect(without.value).toBe("60 Wh");
  expect(without.method).toContain("Jobs whose device did not tell it are left out.");
});

it("has the carbon of the energy", () => {
  const work = { runMs: 3_600_000, energy };
  expect(comparisonLines(facts, [], work).carbon).toMatchObject({ value: "18 g", note: "estimated" });
  expect(comparisonLines(facts, [], work).carbon.method).toContain("300 g CO₂ per kWh");
  const gramsPerKwh = Array.from({ length: 24 }, () => 100);
  expect(comparisonLines({ ...facts, gramsPerKwh }, [], work).carbon.method).toContain("of each hour");
});

it("has the price of the same tokens in a cloud, and tells the tokens without a price", () => {
  const work = { runMs: 0, energy: null };
  const priced = comparisonLines(facts, [small], work).cloud;
  expect(priced).toMatchObject({ value: "2 EUR", note: "for the same tokens" });
  const other = { subject: "", promptTokens: 7, completionTokens: 3 };
  const partly = comparisonLines(facts, [small, other], work).cloud;
  expect(partly).toMatchObject({ value: "2 EUR", note: "without some models" });
  expect(partly.method).toContain("10 tokens of models without a price are left out.");
});
