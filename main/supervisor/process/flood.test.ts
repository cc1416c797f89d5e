import { expect, it } from "vitest";
import { FloodMeter } from "./flood.ts";

/** The seconds after which it is a flood; null if it is none within five minutes. */
function secondsUntilFlood(perSecond: number, chars = 0): number | null {
  const meter = new FloodMeter();
  for (let sent = 1; sent <= 300 * perSecond; sent += 1) {
    const seconds = sent / perSecond;
    if (meter.count(chars, seconds * 1_000)) return Math.round(seconds);
  }
  return null;
}

it.each([
  [1_000, 0, null],
  [2_000, 0, null],
  [3_000, 0, 20],
  [12_000, 0, 2],
  // Sixteen jobs that write as fast as they can.
  [16, 1_000, null],
  // The largest answers, one after another.
  [20, 2 ** 20, 8],
])("%i messages a second with %i characters each are a flood after %j s", (perSecond, chars, seconds) => {
  expect(secondsUntilFlood(perSecond, chars)).toBe(seconds);
});

it("takes a burst, for instance after the donor was suspended", () => {
  const meter = new FloodMeter();
  for (let each = 0; each < 20_000; each += 1) expect(meter.count(0, 1_000)).toBe(false);
  expect(meter.count(0, 11_000)).toBe(false);
  for (let each = 0; each < 19_999; each += 1) expect(meter.count(0, 11_000)).toBe(false);
  expect(meter.count(0, 11_000)).toBe(true);
});
