import { expect, it } from "vitest";
import type { EarnedDay } from "../contract/past-jobs.ts";
import { noFacts } from "./comparison.ts";
import { earnedInDays, earnedInPeriods, earnedPeriods, hasJobs, statementCsv } from "./earned-periods.ts";

const at = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const day = (date: string, micro: string, answered = 1): EarnedDay => ({
  startAt: at(date),
  answered,
  promptTokens: 10,
  completionTokens: 3,
  micro,
  runMs: 2_000,
});

/** A Friday. */
const now = at("2026-11-27") + 12 * 3_600_000;
const days = [
  day("2025-11-30", "1000000"),
  day("2026-10-31", "100"),
  day("2026-11-01", "200"),
  day("2026-11-22", "400"),
  day("2026-11-23", "800"),
  day("2026-11-27", "1600"),
];

it("shows the last 30 days, also those without earnings", () => {
  const periods = earnedPeriods(days, "day", now);
  expect(periods).toHaveLength(30);
  expect(periods[0]).toMatchObject({ from: at("2026-10-29"), to: at("2026-10-30"), micro: 0n, answered: 0 });
  expect(periods.at(-1)).toMatchObject({ from: at("2026-11-27"), to: at("2026-11-28"), micro: 1_600n });
  expect(periods.filter(hasJobs)).toHaveLength(5);
});

it("begins a week on Monday", () => {
  const [before, last] = earnedPeriods(days, "week", now).slice(-2);
  expect(last).toMatchObject({ from: at("2026-11-23"), to: at("2026-11-30"), micro: 2_400n, answered: 2 });
  expect(before).toMatchObject({ from: at("2026-11-16"), to: at("2026-11-23"), micro: 400n });
  const sunday = earnedPeriods(days, "week", at("2026-11-29"));
  expect(sunday.at(-1)!.from).toBe(at("2026-11-23"));
});

it("adds up whole months, of this year and the last", () => {
  const months = earnedPeriods(days, "month", now);
  expect(months).toHaveLength(13);
  expect(months[0]).toMatchObject({ from: at("2025-11-01"), to: at("2025-12-01"), micro: 1_000_000n });
  expect(months.at(-2)).toMatchObject({ from: at("2026-10-01"), micro: 100n });
  expect(months.at(-1)).toMatchObject({ from: at("2026-11-01"), micro: 3_000n, promptTokens: 40 });
});

it("counts today among the last days, also before its day is counted", () => {
  const nothing = { micro: 0n, jobs: 0 };
  expect(earnedInDays(days, 1, now, nothing).micro).toBe(1_600n);
  expect(earnedInDays(days, 5, now, nothing).micro).toBe(2_400n);
  expect(earnedInDays(days, 6, now, nothing).micro).toBe(2_800n);
  expect(earnedInDays(days, 6, now, { micro: 1_700n, jobs: 2 })).toEqual({ micro: 2_900n, jobs: 4 });
  expect(earnedInDays([], 7, now, { micro: 30n, jobs: 1 })).toEqual({ micro: 30n, jobs: 1 });
});

it("a statement has each period with earnings", () => {
  expect(statementCsv(earnedPeriods(days, "month", now), noFacts)).toBe(
    [
      "first_day,last_day,answered,prompt_tokens,completion_tokens,device_seconds,energy_kwh,energy_measured_share,co2_grams,credits",
      "2025-11-01,2025-11-30,1,10,3,2,,,,1",
      "2026-10-01,2026-10-31,1,10,3,2,,,,0.0001",
      "2026-11-01,2026-11-30,4,40,12,8,,,,0.003",
      "",
    ].join("\r\n"),
  );
});

it("the energy of a statement counts the entered power for jobs whose device told none", () => {
  const facts = { ...noFacts, watts: 3_600 };
  const [, line] = statementCsv(earnedPeriods(days, "month", now), facts).split("\r\n");
  expect(line).toBe("2025-11-01,2025-11-30,1,10,3,2,0.002,0,,1");
});

it("a statement says which share of its energy meters counted, and the carbon of all of it", () => {
  const energy = (microWh: number, measuredMicroWh: number) => ({ microWh, measuredMicroWh, runMs: 2_000 });
  const told = [
    { ...day("2026-11-01", "200"), energy: energy(3_000_000, 3_000_000) },
    { ...day("2026-11-22", "400"), energy: energy(1_000_000, 0) },
  ];
  const [, line] = statementCsv(earnedPeriods(told, "month", now), { ...noFacts, gramsPerKwh: 500 }).split(
    "\r\n",
  );
  expect(line).toBe("2026-11-01,2026-11-30,2,20,6,4,0.004,0.75,2,0.0006");
});

it("sums the shown periods with their tokens by model, and with those of days before models were counted", () => {
  const models = (promptTokens: number) => [{ subject: "small", promptTokens, completionTokens: 3 }];
  const told = [
    { ...day("2026-10-01", "50"), models: models(10) },
    day("2026-11-01", "200"),
    { ...day("2026-11-23", "800"), models: models(8) },
    { ...day("2026-11-27", "1600"), models: models(10) },
  ];
  expect(earnedInPeriods(told, earnedPeriods(told, "day", now))).toMatchObject({
    from: at("2026-10-29"),
    to: at("2026-11-28"),
    micro: 2_600n,
    promptTokens: 30,
    models: [
      { subject: "small", promptTokens: 18, completionTokens: 6 },
      { subject: "", promptTokens: 12, completionTokens: 3 },
    ],
  });
  const [last] = earnedPeriods(told, "day", now).slice(-1);
  expect(last!.models).toEqual([{ subject: "small", promptTokens: 10, completionTokens: 3 }]);
});
