import { expect, it } from "vitest";
import { type Facts, known, unknown } from "../facts/facts.ts";
import { away, donating, inUse, standbyFor } from "../policy/decide.fixture.ts";
import type { Activity } from "../policy/decision.ts";
import { defaultRules, type Rules } from "../policy/rules.ts";
import { firstHour } from "./hour.fixture.ts";
import { hourMs, type MeasuredHour } from "./hour.ts";
import { ComfortMeter, type OpenHour, openHour } from "./meter.ts";

const minute = 60_000;

/** Decides every five minutes, as a donor with sensors does at least. */
function world(open: OpenHour | null = null) {
  const hours: MeasuredHour[] = [];
  const meter = new ComfortMeter((hour) => hours.push(hour), open);
  const decide = (
    atMinute: number,
    activity: Activity,
    facts: Partial<Facts> = {},
    rules: Partial<Rules> = {},
  ): void =>
    meter.decided(
      activity,
      { ...away, temperatureC: known(60), ...facts, now: firstHour + atMinute * minute },
      { ...defaultRules, ...rules },
    );
  const during = (from: number, to: number, activity: Activity, facts: Partial<Facts> = {}): void => {
    for (let at = from; at <= to; at += 5) decide(at, activity, facts);
  };
  return { hours, meter, decide, during };
}

it("measures an hour of donation, and tells it when it is over", () => {
  const { hours, meter, during, decide } = world();
  during(0, 30, donating, { fanRpm: known(3_000) });
  meter.yielded(90);
  meter.yielded(110);
  for (let count = 0; count < 300; count += 1) {
    meter.delayed(8, true);
    meter.delayed(1, false);
  }
  during(30, 60, inUse, { fanRpm: known(1_000) });
  expect(hours).toEqual([
    {
      startAt: firstHour,
      donatedSeconds: 1_800,
      yieldP95Ms: 110,
      workingDelayMs: 8,
      restingDelayMs: 1,
      hotSeconds: 0,
      batteryPercent: 0,
      mayUseBattery: false,
      donatingFanRpm: 3_000,
      restingFanRpm: 1_000,
    },
  ]);
  decide(65, inUse);
  expect(hours).toHaveLength(1);
});

it("tells no hour with less than a minute of donation", () => {
  const { hours, decide } = world();
  decide(0, donating);
  decide(0.9, inUse);
  decide(61, inUse);
  expect(hours).toEqual([]);
});

it("leaves unknown what no sensor tells, and what was measured too rarely", () => {
  const { hours, meter, during } = world();
  meter.delayed(5, true);
  during(0, 60, donating, { temperatureC: unknown, batteryPercent: unknown });
  expect(hours[0]).toMatchObject({
    yieldP95Ms: null,
    workingDelayMs: null,
    restingDelayMs: null,
    hotSeconds: null,
    batteryPercent: null,
    donatingFanRpm: null,
  });
});

it("counts the heat of donation until it is gone, but not the heat of other programs", () => {
  const hot = { temperatureC: known(90) };
  const first = world();
  first.during(0, 20, donating);
  first.decide(25, donating, hot);
  first.during(26, 31, standbyFor("too-hot"), hot);
  first.during(36, 61, inUse, hot);
  expect(first.hours[0]?.hotSeconds).toBe(11 * 60);
  const second = world();
  second.during(0, 20, inUse);
  second.during(20, 40, standbyFor("too-hot"), hot);
  second.during(40, 60, donating);
  expect(second.hours[0]?.hotSeconds).toBe(0);
});

it("counts the battery's charge that was spent while it donated", () => {
  const { hours, decide } = world();
  decide(0, donating, { batteryPercent: known(90) }, { allowOnBattery: true });
  decide(10, donating, { batteryPercent: known(86) });
  decide(20, inUse, { batteryPercent: known(85) });
  decide(30, donating, { batteryPercent: known(60) });
  decide(40, donating, { batteryPercent: known(70) });
  decide(59, donating, { batteryPercent: known(70) });
  decide(61, donating, { batteryPercent: known(70) });
  expect(hours[0]).toMatchObject({ batteryPercent: 5, mayUseBattery: true });
});

it("does not add up the drops of a charge that flickers", () => {
  const { hours, decide } = world();
  for (let at = 0; at < 60; at += 5)
    decide(at, donating, { batteryPercent: known(at % 10 === 0 ? 100 : 99) });
  decide(60, donating, { batteryPercent: known(90) });
  decide(65, donating, { batteryPercent: known(90) });
  decide(119, inUse, { batteryPercent: known(90) });
  decide(121, inUse);
  expect(hours.map(({ batteryPercent }) => batteryPercent)).toEqual([10, 0]);
});

it("counts no time in which the computer slept, or that a clock skipped", () => {
  const { hours, meter, decide } = world();
  decide(0, donating);
  decide(10, donating);
  decide(50, donating);
  decide(45, donating);
  meter.yielded(3 * hourMs);
  decide(60, donating);
  expect(hours[0]).toMatchObject({ donatedSeconds: 25 * 60, yieldP95Ms: null });
});

it("divides a stretch between the two hours that it is in", () => {
  const { hours, during } = world();
  during(3, 118, donating);
  during(123, 123, inUse);
  expect(hours.map(({ startAt, donatedSeconds }) => [startAt - firstHour, donatedSeconds])).toEqual([
    [0, 57 * 60],
    [hourMs, 3_600],
  ]);
});

it("continues an hour that an earlier run began", () => {
  const first = world();
  first.during(0, 20, donating);
  first.meter.yielded(100);
  const open = openHour.parse(JSON.parse(JSON.stringify(first.meter.open())));
  const second = world(open);
  second.during(25, 30, donating);
  second.during(30, 60, inUse);
  expect(second.hours).toMatchObject([{ startAt: firstHour, donatedSeconds: 25 * 60, yieldP95Ms: 100 }]);
});
