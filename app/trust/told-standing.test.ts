import { expect, it } from "vitest";
import {
  newStanding,
  probationReplays,
  reasonsOf,
  type Standing,
  type StandingEvent,
  withEvent,
} from "./standing.ts";
import { rankOf, toldStanding } from "./told-standing.ts";

const after = (...events: readonly StandingEvent[]): Standing =>
  events.reduce((standing, event) => withEvent(standing, event, 0), newStanding(0));
const fits = (count: number): StandingEvent[] => Array<StandingEvent>(count).fill("fits");

it.each([
  ["new", []],
  ["new", fits(probationReplays - 1)],
  ["good", fits(20)],
  ["unsure", [...fits(6), "misjudged", "misjudged", "misjudged"]],
  ["wrong", [...fits(5), "wrong"]],
  ["overclaimed", [...fits(5), "overclaimed"]],
] as const)("a standing is %s after %j", (rank, events) => {
  expect(rankOf(after(...events))).toBe(rank);
});

it("tells a device nothing that changes with a replay after its probation", () => {
  const known = after(...fits(20), "abort", "praised");
  const told = toldStanding(known);
  expect(told).toEqual({ rank: "good", passed: probationReplays, counts: { abort: 1, praised: 1 } });
  for (const event of ["fits", "unclear", "result"] as const)
    expect(toldStanding(withEvent(known, event, 0)), event).toEqual(told);
});

it("tells a new device how many replays are missing", () => {
  expect(reasonsOf(toldStanding(after("fits", "fits", "loss")))).toEqual([
    "1 job was lost with the connection.",
    "3 more replays have to fit before it counts as known.",
  ]);
});
