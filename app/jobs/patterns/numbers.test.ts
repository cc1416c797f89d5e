import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepts, sampleOf } from "./automaton.fixture.ts";
import type { Automaton } from "./automaton.ts";
import { numberAutomaton, type NumberRange } from "./numbers.ts";
import { Unenforceable } from "./work.ts";

const at = (value: number) => ({ value, isExclusive: false });
const beyond = (value: number) => ({ value, isExclusive: true });
const all: NumberRange = { least: null, most: null, multipleOf: null };

function automatonOf(range: Partial<NumberRange>, isInteger: boolean): Automaton {
  const automaton = numberAutomaton({ ...all, ...range }, isInteger);
  if (automaton === null) throw new Error("no automaton");
  return automaton;
}

function isIn({ least, most, multipleOf }: NumberRange, value: number): boolean {
  if (least !== null && !(least.isExclusive ? value > least.value : value >= least.value)) return false;
  if (most !== null && !(most.isExclusive ? value < most.value : value <= most.value)) return false;
  return multipleOf === null || Math.abs(value / multipleOf - Math.round(value / multipleOf)) < 1e-9;
}

describe("the automaton of a range", () => {
  it.each<[Partial<NumberRange>, boolean, readonly string[], readonly string[]]>([
    [
      { least: at(0) },
      true,
      ["0", "7", "999999999999999"],
      ["-1", "-0", "01", "1.0", "1e2", "1000000000000000", ""],
    ],
    [{ least: at(1900), most: at(2100) }, true, ["1900", "1999", "2100"], ["1899", "2101", "190", "19000"]],
    [{ least: beyond(-150), most: beyond(1.5) }, true, ["-149", "-9", "0", "1"], ["-150", "2"]],
    [{ most: at(-1000) }, true, ["-1000", "-20000"], ["-999", "0", "1000"]],
    [
      { least: at(0), most: at(1) },
      false,
      ["0", "1", "0.5", "1.00", "1e-7", "0.25E-3"],
      ["1.01", "-0.5", "1e1", "2e-1", ".5"],
    ],
    [{ least: beyond(0) }, false, ["0.0001", "5e-30", "6.02e23", "12"], ["0", "0.0", "0e9", "-1"]],
    [{ most: beyond(0) }, false, ["-0.5", "-1e20"], ["0", "-0", "-0.0", "1"]],
    [
      { least: at(-0.125), most: at(0.5) },
      false,
      ["-0.125", "-0.1", "-0.12499", "0.5", "0.4999"],
      ["-0.126", "-1", "0.51", "0.50001"],
    ],
    [
      { least: beyond(19.99), most: at(1e7) },
      false,
      ["19.991", "20", "10000000"],
      ["19.99", "19.9900", "19.9900000000000001", "10000000.1"],
    ],
    [{ least: at(1e-7) }, false, ["0.0000001", "1", "2e5"], ["0.00000009", "1e-3"]],
    [{ multipleOf: 0.01 }, false, ["19.99", "5", "-0.5", "1.10"], ["19.999", "1e2"]],
    [
      { multipleOf: 0.25, least: at(0), most: at(2) },
      false,
      ["0", "0.25", "1.5", "1.50", "2"],
      ["0.3", "0.1", "2.25"],
    ],
    [{ multipleOf: 7 }, true, ["0", "-7", "49", "700"], ["1", "48"]],
    [{ multipleOf: 1.5 }, true, ["3", "-6"], ["1", "4"]],
    [{ multipleOf: 2 }, false, ["4", "-2"], ["3", "4.0"]],
  ])("%j (integers: %s) accepts the numbers within", (range, isInteger, right, wrong) => {
    const automaton = automatonOf(range, isInteger);
    expect([...right, ...wrong].filter((text) => accepts(automaton, text))).toEqual(right);
  });

  it("is not made for a range without a number, or with a divisor that is too large", () => {
    expect(numberAutomaton({ ...all, least: beyond(0), most: beyond(1) }, true)).toBeNull();
    expect(() => numberAutomaton({ ...all, multipleOf: 1e20 }, true)).toThrow(Unenforceable);
    expect(() => numberAutomaton({ ...all, multipleOf: 977 }, true)).toThrow(Unenforceable);
    expect(() => numberAutomaton({ ...all, least: at(1e-40) }, false)).toThrow(Unenforceable);
  });
});

const bound = fc.oneof(
  fc.integer({ min: -2_000, max: 2_000 }),
  fc.integer({ min: -3_000, max: 3_000 }).map((each) => each / 100),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);
const range = fc.record({
  least: fc.option(fc.record({ value: bound, isExclusive: fc.boolean() })),
  most: fc.option(fc.record({ value: bound, isExclusive: fc.boolean() })),
  multipleOf: fc.option(fc.constantFrom(1, 2, 3, 10, 0.5, 0.01, 0.3), { freq: 1 }),
});

it.each([true, false])(
  "a random range accepts the short numbers within, and writes no other ones (integers: %s)",
  (isInteger) => {
    const counts = { right: 0, wrong: 0 };
    const short = isInteger
      ? fc.integer({ min: -3_000, max: 3_000 })
      : fc.integer({ min: -300_000, max: 300_000 }).map((each) => each / 100);
    fc.assert(
      fc.property(
        range,
        fc.array(short, { minLength: 5, maxLength: 5 }),
        fc.infiniteStream(fc.nat()),
        (given, values, numbers) => {
          let automaton: Automaton | null = null;
          try {
            automaton = numberAutomaton(given, isInteger);
          } catch (error) {
            if (!(error instanceof Unenforceable)) throw error;
            fc.pre(false);
          }
          const { least, most } = given;
          for (const value of [...values, least?.value ?? 0, most?.value ?? 0]) {
            if (
              !/^-?\d+(?:\.\d{1,4})?$/.test(String(value)) ||
              (isInteger && !Number.isInteger(value)) ||
              Object.is(value, -0)
            )
              continue;
            const isRight = isIn(given, value);
            expect(automaton !== null && accepts(automaton, String(value))).toBe(isRight);
            counts[isRight ? "right" : "wrong"] += 1;
          }
          if (automaton === null) return;
          for (let round = 0; round < 5; round += 1) {
            const sample = sampleOf(automaton, (below) => numbers.next().value % below);
            const value: unknown = JSON.parse(sample);
            expect(Number.isFinite(value) && (!isInteger || Number.isInteger(value))).toBe(true);
            expect(isIn({ ...given, multipleOf: null }, Number(value)), sample).toBe(true);
          }
        },
      ),
      { seed: 5, numRuns: 1_000 },
    );
    expect(Math.min(counts.right, counts.wrong)).toBeGreaterThan(500);
  },
);
