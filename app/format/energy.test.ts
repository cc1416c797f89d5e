import { expect, it } from "vitest";
import { carbonWords, energyWords } from "./energy.ts";

it("gives energy a unit that suits its size", () => {
  expect([0, 2.083e-9, 0.0004, 0.34, 1.234, 250].map(energyWords)).toEqual([
    "0 Wh",
    "0.0021 mWh",
    "0.4 Wh",
    "340 Wh",
    "1.2 kWh",
    "250 kWh",
  ]);
});

it("gives carbon a unit that suits its size", () => {
  expect([0.5, 120, 3_400].map(carbonWords)).toEqual(["0.5 g", "120 g", "3.4 kg"]);
});
