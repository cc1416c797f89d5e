import { expect, it } from "vitest";
import { PatternMachine } from "./machines.ts";
import { parsePattern } from "./syntax.ts";
import { Unenforceable, Work } from "./work.ts";

const code = (char: string): number => char.charCodeAt(0);

function machineOf(source: string, work: Work): PatternMachine {
  const parsed = parsePattern(source);
  if (parsed === null) throw new Error("no pattern");
  return new PatternMachine(parsed.pattern, work);
}

it("a machine counts each node that it looks at, also for a step to a known state", () => {
  const work = new Work();
  const machine = machineOf("a.{50}$", work);
  let state: number | null = machine.start;
  for (let length = 0; length < 60 && state !== null; length += 1) state = machine.step(state, code("a"));
  if (state === null) throw new Error("no state");
  const next = machine.step(state, code("b"));
  const before = work.left;
  // At each of 50 places, and at the beginning.
  expect(machine.step(state, code("c"))).toBe(next);
  expect(before - work.left).toBeGreaterThan(50);
  const after = work.left;
  machine.step(state, code("c"));
  expect(work.left).toBe(after);
});

it("a machine makes no step that its work does not allow", () => {
  expect(() => machineOf("^a{100}$", new Work(50))).toThrow(Unenforceable);
  const work = new Work(1_000);
  const machine = machineOf("^[a-z]{100}", work);
  work.spend(work.left);
  expect(() => machine.step(machine.start, code("a"))).toThrow(Unenforceable);
});
