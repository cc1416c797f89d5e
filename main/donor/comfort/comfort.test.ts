import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { breaks, comfortableHour, firstHour } from "../../../app/comfort/hour.fixture.ts";
import { type ComfortHour, hourMs } from "../../../app/comfort/hour.ts";
import { easeAfterMs } from "../../../app/comfort/tighten.ts";
import { away, donating, inUse } from "../../../app/policy/decide.fixture.ts";
import { defaultRules } from "../../../app/policy/rules.ts";
import { silentLog } from "../../log.ts";
import { type Comfort, openComfort } from "./comfort.ts";
import { ComfortReport, hoursPerReport } from "./comfort-report.ts";

let folder: string;
let path: string;
let hours: ComfortHour[];
let steps: number[];
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-comfort-"));
  path = join(folder, "comfort.json");
  hours = [];
  steps = [];
  now = firstHour + 48 * hourMs;
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const open = (log = silentLog): Promise<Comfort> =>
  openComfort({
    path,
    mostThreads: 8,
    onHour: (hour) => hours.push(hour),
    onTightened: ({ step }) => steps.push(step),
    log,
    now: () => now,
  });

const stored = async (kept: readonly ComfortHour[]): Promise<void> =>
  await writeFile(path, JSON.stringify({ version: 1, hours: kept, open: null, sentTo: 0 }));

/** Donates in some minutes of an hour, and yields once. */
function donateIn(comfort: Comfort, hour: number, minutes: readonly [number, number], yieldMs: number): void {
  const at = (minute: number): number => firstHour + hour * hourMs + minute * 60_000;
  const rules = comfort.narrow(defaultRules);
  for (let minute = minutes[0]; minute < minutes[1]; minute += 5)
    comfort.decided(donating, { ...away, now: at(minute) }, rules);
  comfort.decided(inUse, { ...away, now: at(minutes[1]) }, rules);
  comfort.yielded(yieldMs);
}

describe("a donor's comfort", () => {
  it("tightens the rules after an hour with slow stops, and eases them after good hours", async () => {
    const comfort = await open();
    expect(comfort.narrow(defaultRules)).toBe(defaultRules);
    donateIn(comfort, 0, [0, 30], 400);
    donateIn(comfort, 1, [0, 30], 90);
    expect([hours.length, steps]).toEqual([1, [1]]);
    expect(comfort.narrow(defaultRules)).toMatchObject({ idle: { threads: 6 } });
    expect(comfort.narrow(defaultRules)).toBe(comfort.narrow(defaultRules));
    for (const hour of [2, 3, 4]) donateIn(comfort, hour, [0, 30], 90);
    expect(steps).toEqual([1, 0]);
    expect(comfort.narrow(defaultRules)).toBe(defaultRules);
    expect(comfort.view).toMatchObject({ week: { hours: 4, keptHours: 3 }, tightening: { step: 0 } });
    await comfort.close();
  });

  it("continues after a restart with its hours, its tightening and the open hour", async () => {
    const first = await open();
    donateIn(first, 0, [0, 30], 400);
    donateIn(first, 1, [0, 10], 90);
    first.sent(firstHour);
    await first.close();
    const second = await open();
    expect(second.view).toMatchObject({ hour: { startAt: firstHour }, tightening: { step: 1 } });
    expect(second.unsent).toEqual([]);
    donateIn(second, 1, [20, 30], 90);
    donateIn(second, 2, [0, 5], 90);
    expect(hours.at(-1)).toMatchObject({
      startAt: firstHour + hourMs,
      donatedSeconds: 1_200,
      yieldP95Ms: 90,
      step: 1,
    });
    expect(second.unsent.map(({ startAt }) => startAt)).toEqual([firstHour + hourMs]);
    await second.close();
  });

  it("eases the limits after days without donation, also while the donor is off", async () => {
    const first = await open();
    for (const hour of [0, 1]) donateIn(first, hour, [0, 30], 400);
    first.decided(inUse, { ...away, now: firstHour + 2 * hourMs }, defaultRules);
    expect(steps).toEqual([1, 2]);
    now = firstHour + hourMs + easeAfterMs;
    first.decided(inUse, { ...away, now }, defaultRules);
    expect(steps).toEqual([1, 2, 1]);
    expect(first.view.tightening.step).toBe(1);
    await first.close();
    now += easeAfterMs;
    const second = await open();
    expect(second.narrow(defaultRules)).toBe(defaultRules);
    await second.close();
  });

  it("starts anew if its file is damaged, which it moves aside and logs", async () => {
    await writeFile(path, "{");
    const events: string[] = [];
    const comfort = await open((_level, event) => void events.push(event));
    expect(comfort.view).toMatchObject({ hour: null, tightening: { step: 0 } });
    expect(events).toEqual(["comfort.corrupt"]);
    await comfort.close();
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ version: 1, hours: [] });
  });

  it("reads the hours of an earlier version, which counted stops, and drops that count", async () => {
    const earlier = { ...comfortableHour(0, breaks.heat), yields: 3 };
    await stored([earlier]);
    const comfort = await open();
    expect(comfort.unsent).toEqual([comfortableHour(0, breaks.heat)]);
    expect(comfort.view.tightening.step).toBe(1);
    await comfort.close();
  });

  it("keeps a bounded number of hours", async () => {
    await stored(Array.from({ length: 336 }, (_, at) => comfortableHour(at - 336)));
    const comfort = await open();
    donateIn(comfort, 0, [0, 30], 90);
    donateIn(comfort, 1, [0, 5], 90);
    await comfort.close();
    const { hours: kept } = JSON.parse(await readFile(path, "utf8")) as { readonly hours: ComfortHour[] };
    expect([kept.length, kept.at(-1)?.startAt]).toEqual([336, firstHour]);
  });
});

describe("the report of measured hours", () => {
  const many = Array.from({ length: hoursPerReport + 2 }, (_, at) => comfortableHour(at, breaks.heat));

  it("sends each hour once, in bounded calls", async () => {
    await stored(many);
    const comfort = await open();
    const sent: number[] = [];
    const organization = {
      reportComfort: async (some: readonly ComfortHour[]) => void sent.push(some.length),
    };
    const report = new ComfortReport({ organization, comfort, log: silentLog });
    expect(sent).toEqual([]);
    report.greeted();
    await expect.poll(() => comfort.unsent.length).toBe(0);
    report.greeted();
    expect(sent).toEqual([hoursPerReport, 2]);
    report.stop();
    await comfort.close();
  });

  it("asks a backend that refuses the call only once for each connection, and keeps the hours", async () => {
    await stored(many);
    const comfort = await open();
    let calls = 0;
    const reportComfort = async (): Promise<void> => {
      calls += 1;
      throw new Error("Server Error\nCould not find public function for 'devices:reportComfort'.");
    };
    const refused: string[] = [];
    const log = (_level: string, event: string): void => void refused.push(event);
    const report = new ComfortReport({ organization: { reportComfort }, comfort, log }, () => 1);
    report.greeted();
    await expect.poll(() => refused).toEqual(["comfort-report.refused"]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([calls, comfort.unsent.length]).toEqual([1, many.length]);
    report.greeted();
    await expect.poll(() => calls).toBe(2);
    report.stop();
    await comfort.close();
  });

  it("tries again if the backend was overloaded", async () => {
    await stored(many);
    const comfort = await open();
    let calls = 0;
    const reportComfort = async (): Promise<void> => {
      calls += 1;
      if (calls === 1) throw new Error("Too many concurrent requests");
    };
    const report = new ComfortReport({ organization: { reportComfort }, comfort, log: silentLog }, () => 1);
    report.greeted();
    await expect.poll(() => comfort.unsent.length).toBe(0);
    report.stop();
    await comfort.close();
  });

  it("sends the hours of known devices some time within ten minutes after their end", async () => {
    vi.useFakeTimers();
    const times: number[] = [];
    const reports = Array.from({ length: 101 }, (_, device) => {
      const unsent: ComfortHour[] = [];
      const organization = { reportComfort: async () => void times.push(Date.now()) };
      const comfort = { unsent, sent: () => void unsent.splice(0) };
      const report = new ComfortReport({ organization, comfort, log: silentLog });
      if (device > 0) report.greeted();
      unsent.push(comfortableHour());
      report.hourEnded();
      return report;
    });
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(times).toHaveLength(100);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(5 * 60_000);
    for (const report of reports) report.stop();
  });

  it("sends hours that the organization left out because the clock was ahead, once it is right", async () => {
    const ahead = comfortableHour(200);
    await stored([comfortableHour(0), ahead]);
    const comfort = await open();
    const sent: number[] = [];
    const reportComfort = async (some: readonly ComfortHour[]): Promise<void> =>
      void sent.push(...some.map(({ startAt }) => (startAt - firstHour) / hourMs));
    const report = new ComfortReport({ organization: { reportComfort }, comfort, log: silentLog });
    comfort.sent(ahead.startAt);
    donateIn(comfort, 1, [0, 30], 90);
    donateIn(comfort, 2, [0, 5], 90);
    report.greeted();
    await expect.poll(() => comfort.unsent.length).toBe(0);
    report.stop();
    expect(sent).toEqual([0, 1]);
    await comfort.close();
  });
});
