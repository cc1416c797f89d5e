import { expect, it } from "vitest";
import { known, unknownComputer } from "../../../app/facts/facts.ts";
import { unknownFacts } from "./unknown-facts.ts";

const facts = { ...unknownComputer, power: known("ac" as const) };
const needs = {
  facts: new Set(["power", "idleSeconds", "vramFreeMb"] as const),
  programs: [],
  donating: true,
};

it("names what the rules look at and the computer cannot tell", () => {
  expect(unknownFacts(facts, needs)).toEqual(["idleSeconds", "vramFreeMb"]);
});

it("says nothing of what is asked at work alone, while there is no work", () => {
  expect(unknownFacts(facts, { ...needs, donating: false })).toEqual(["idleSeconds"]);
});
