import { isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accepts, sampleOf } from "../patterns/automaton.fixture.ts";
import type { Automaton } from "../patterns/automaton.ts";
import { textAutomaton } from "../patterns/texts.ts";
import { hasFormat, writtenFormat } from "./text-formats.ts";

const names = ["email", "hostname", "ipv4", "ipv6", "uuid", "uri", "duration", "date", "time", "date-time"];

function automatonOf(format: string): Automaton {
  const written = writtenFormat(format);
  const automaton = written && textAutomaton({ patterns: [written], least: 0, most: Infinity });
  if (!automaton) throw new Error("no automaton");
  return automaton;
}

describe("what a grammar writes in a format", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["email", ["ada@example.org", "A.b+c@x-y.io"], ["ada", "a@-b", "a b@c", "@c", "a@b..c"]],
    ["hostname", ["example.org", "A-1", `${"a".repeat(63)}.b`], ["-a", "a-", "a..b", "a_b"]],
    ["ipv4", ["127.0.0.1", "255.255.255.255"], ["1.2.3", "256.1.1.1", "01.2.3.4"]],
    [
      "ipv6",
      ["::", "1::", "FE80::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"],
      [":::", "1:2", "1.2.3.4::", "1::2::3"],
    ],
    ["uuid", ["00000000-0000-4000-8000-00000000000A"], ["0", "00000000-0000-4000-8000-00000000000g"]],
    ["uri", ["https://example.org/a?b#c", "urn:é"], ["example.org", "http:", "a: b", 'a:"']],
    ["duration", ["P1D", "PT5M", "P1Y2M3DT4H5M6S", "P2W"], ["P", "1D", "P1DT", "P1D2M"]],
    ["date", ["2024-02-29"], ["2024-13-01", "2024-00-01", "24-01-01"]],
    [
      "date-time",
      ["2024-02-29T23:59:59Z", "2024-02-29T00:00:00.123+01:00"],
      ["2024-02-29", "2024-02-29T24:00:00Z"],
    ],
  ])("%s has the right texts", (format, right, wrong) => {
    const automaton = automatonOf(format);
    expect([...right, ...wrong].filter((text) => accepts(automaton, text))).toEqual(right);
    expect([...right, ...wrong].filter((text) => hasFormat(format, text))).toEqual(
      format.startsWith("date") ? [...right, ...wrong] : right,
    );
  });

  it.each(["hostname", "email"])("%s may be longer than its check allows", (format) => {
    const text = `${format === "email" ? "a@" : ""}${"a".repeat(64)}`;
    expect(accepts(automatonOf(format), text)).toBe(true);
    expect(hasFormat(format, text)).toBe(false);
  });

  it.each(names)("%s passes its check, and is small", (format) => {
    const automaton = automatonOf(format);
    expect(automaton.length).toBeLessThanOrEqual(600);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const text = sampleOf(automaton, (below) => numbers.next().value % below);
        // A grammar does not count the characters of names.
        if (text.length < 63) expect(hasFormat(format, text), text).toBe(true);
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});

const group = fc.constantFrom("", "0", "ab1", "FFFF", "12345", "1.2.3.4", "g");
it("an IPv6 address is one for Node, too", () => {
  const automaton = automatonOf("ipv6");
  const counts = { right: 0, wrong: 0 };
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(group, { maxLength: 9 }).map((all) => all.join(":")),
        fc.ipV6(),
      ),
      (text) => {
        const isRight = isIPv6(text);
        expect(hasFormat("ipv6", text)).toBe(isRight);
        expect(accepts(automaton, text)).toBe(isRight);
        counts[isRight ? "right" : "wrong"] += 1;
      },
    ),
    { seed: 2, numRuns: 2_000 },
  );
  expect(Math.min(counts.right, counts.wrong)).toBeGreaterThan(200);
});
