import { expect, it } from "vitest";
import { known, unknownComputer } from "../../../app/facts/facts.ts";
import { unknownFacts } from "./unknown-facts.ts";

const facts = { ...unknownComputer, power: known("ac" as const) };
const needs = {
  facts: new Set(["power", "idleSeconds", "vramFreeMb"] as const),
  programs: [],
  running: true,
};

it("names the facts that the rules need and the computer cannot tell", () => {
  expect(unknownFacts(facts, needs)).toEqual(["idleSeconds", "vramFreeMb"]);
});

it("leaves out facts that are sampled only while donating, unless it donates", () => {
  expect(unknownFacts(facts, { ...needs, running: false })).toEqual(["idleSeconds"]);
});
