import { expect, it } from "vitest";
import { impactRows } from "./retirement-words.ts";

const none = { count: 0, exact: true };

it("tells the numbers of what a retirement touches, and no more than is known", () => {
  const impact = {
    waiting: { count: 100, exact: false },
    running: { count: 3, exact: true },
    isDefault: true,
    aliases: ["gpt-4o-mini", "small"],
    devices: 1_204,
  };
  expect(impactRows(impact, true).map(({ label, words }) => `${label}: ${words}`)).toEqual([
    "Waiting jobs: 100+: they end with an error",
    "Running jobs: 3: they finish",
    "Default model: Yes: requests that name no model are refused",
    "Aliases: gpt-4o-mini, small: requests for them are refused",
    "Devices with it: 1,204: they may delete the file",
    "Roll-out: It rests until you reinstate the model",
  ]);
});

it("says none where a retirement touches nothing", () => {
  const nothing = { waiting: none, running: none, isDefault: false, aliases: [], devices: 0 };
  expect(impactRows(nothing, false).map(({ words }) => words)).toEqual([
    "None",
    "None",
    "No",
    "None",
    "None",
  ]);
});
