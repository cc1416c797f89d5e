import { expect, it } from "vitest";
import { type Facts, known, unknown, unknownComputer } from "../../../app/facts/facts.ts";
import { factsView } from "./views.ts";

it("shows facts that a person asked for and no rule needs, for a minute", () => {
  const now = 100_000;
  const facts = { ...unknownComputer, now, power: known("ac") } as Facts;
  const none = { value: unknown, at: null };
  const readings = Object.fromEntries(Object.keys(unknownComputer).map((name) => [name, none])) as Parameters<
    typeof factsView
  >[1];
  const asked = {
    ...readings,
    displayOff: { value: known(true), at: now - 1_000 },
    lidClosed: { value: known(true), at: now - 60_000 },
    power: { value: known("battery" as const), at: now },
  };
  expect(factsView(facts, asked)).toEqual({
    ...unknownComputer,
    power: known("ac"),
    displayOff: known(true),
  });
});
