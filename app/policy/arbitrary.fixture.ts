import fc from "fast-check";
import { type ComputerFacts, type FactName, type Facts, type Known, known, unknown } from "../facts/facts.ts";
import type { Activity } from "./decision.ts";
import type { DonateReason, Limits } from "./declare/activity.ts";
import type { Field } from "./declare/rule.ts";
import { donateReasons, type StandbyReason, standbyReasons } from "./reasons.ts";
import { type RuleName, ruleNames, ruleOf, type Rules } from "./rules.ts";
import type { ScheduleWindow } from "./rules/schedule.ts";

const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const megabytes = fc.integer({ min: 0, max: 100_000 });
const threads = fc.integer({ min: 1, max: 64 });
const names = fc.subarray(["office", "vpn", "wlan0"]);

const limits: fc.Arbitrary<Limits> = fc.record({
  threads: fc.option(threads),
  gpu: fc.boolean(),
  deniedGpus: fc.subarray([0, 1]),
  memoryMb: fc.option(megabytes),
  dutyCycle: fc.constantFrom(1, 0.5, 0.25),
  confined: fc.boolean(),
  stillSince: fc.option(instant),
});

export const activities: fc.Arbitrary<Activity> = fc.oneof(
  fc.record({
    kind: fc.constant("donating" as const),
    reason: fc.constantFrom(...(Object.keys(donateReasons) as DonateReason[])),
    since: instant,
    limits,
  }),
  fc.record(
    {
      kind: fc.constant("standby" as const),
      reason: fc.constantFrom(...(Object.keys(standbyReasons) as StandbyReason[])),
      since: instant,
      clearSince: instant,
    },
    { requiredKeys: ["kind", "reason", "since"] },
  ),
);

function knownOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Known<T>> {
  return fc.oneof(value.map(known), fc.constant(unknown));
}

const yesOrNo = knownOf(fc.boolean());

const computer: { readonly [Name in FactName]: fc.Arbitrary<ComputerFacts[Name]> } = {
  idleSeconds: knownOf(fc.double({ min: 0, max: 1e6, noNaN: true })),
  locked: yesOrNo,
  displayOff: yesOrNo,
  lidClosed: yesOrNo,
  power: knownOf(fc.constantFrom("ac" as const, "battery" as const)),
  batteryPercent: knownOf(fc.integer({ min: 0, max: 100 })),
  thermal: knownOf(fc.constantFrom("nominal", "fair", "serious", "critical")),
  temperatureC: knownOf(fc.double({ min: 20, max: 110, noNaN: true })),
  fanRpm: knownOf(fc.integer({ min: 0, max: 6_000 })),
  otherCpuLoad: knownOf(share),
  otherGpuLoad: knownOf(share),
  memoryFreeMb: knownOf(megabytes),
  vramFreeMb: knownOf(megabytes),
  diskFreeMb: knownOf(megabytes),
  fullScreen: yesOrNo,
  cameraInUse: yesOrNo,
  microphoneInUse: yesOrNo,
  mediaPlaying: yesOrNo,
  excludedProgram: knownOf(fc.constantFrom(null, "game")),
  metered: yesOrNo,
  networks: knownOf(names),
};

const facts: fc.Arbitrary<Facts> = fc.record({
  ...computer,
  now: instant,
  minuteOfWeek: fc.integer({ min: 0, max: 7 * 24 * 60 - 1 }),
  suspended: fc.boolean(),
  connection: fc.constantFrom("online" as const, "offline" as const, "wrong-server" as const),
  membership: fc.constantFrom(
    "none",
    "pending",
    "active",
    "paused",
    "paused-on-request",
    "outdated",
    "other-key",
    "retired",
  ),
  pause: fc.option(fc.record({ until: fc.option(instant) })),
  finishThenPause: fc.boolean(),
  donateNowUntil: fc.option(instant),
  gpuSampled: fc.boolean(),
  modelReady: fc.boolean(),
});

/** Random facts seldom allow to donate. These facts all allow it. */
export const willing = {
  membership: "active",
  connection: "online",
  pause: null,
  suspended: false,
  modelReady: true,
  idleSeconds: known(90_000),
  otherCpuLoad: known(0),
  memoryFreeMb: known(100_000),
  thermal: known("nominal"),
  temperatureC: known(30),
  metered: known(false),
  networks: known(["office", "vpn", "wlan0"]),
  excludedProgram: known(null),
  fullScreen: unknown,
  cameraInUse: known(false),
  microphoneInUse: known(false),
  mediaPlaying: unknown,
} as const satisfies Partial<Facts>;

/** Any facts. Half of them are willing, except for at most two. */
export const anyFacts: fc.Arbitrary<Facts> = fc.oneof(
  facts,
  fc
    .tuple(facts, fc.subarray(Object.keys(willing) as (keyof typeof willing)[], { maxLength: 2 }))
    .map(([random, kept]): Facts => {
      const changed = Object.fromEntries(kept.map((name) => [name, random[name]]));
      return { ...random, ...willing, ...changed };
    }),
);

const scheduleWindow: fc.Arbitrary<ScheduleWindow> = fc.record({
  days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
  fromMinute: fc.integer({ min: 0, max: 1_440 }),
  toMinute: fc.integer({ min: 0, max: 1_440 }),
});

const inUse = fc.record({
  mode: fc.constantFrom("off", "limited"),
  threads,
  gpu: fc.boolean(),
  memoryMb: megabytes,
});
const idle = fc.record({ threads: fc.option(threads), gpu: fc.boolean(), memoryMb: fc.option(megabytes) });
const gpus = fc.array(fc.record({ index: fc.integer({ min: 0, max: 3 }), allow: fc.boolean() }), {
  maxLength: 3,
});
const schedule = fc.option(fc.array(scheduleWindow, { maxLength: 3 }));

/** Within narrower bounds than the rules', so that the random facts meet them. */
const ownRules: { readonly [Name in RuleName]?: fc.Arbitrary<Rules[Name]> } = {
  otherCpuLoadHysteresis: fc.double({ min: 0, max: 0.5, noNaN: true }),
  minFreeMemoryMb: fc.integer({ min: 0, max: 10_000 }),
  excludedPrograms: fc.subarray(["game"]),
  diskQuotaMb: megabytes,
  minFreeDiskMb: fc.integer({ min: 0, max: 10_000 }),
};

function arbitraryOf(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case "switch":
      return fc.boolean();
    case "number": {
      const { min, max } = field;
      const value = field.unit === "share" ? fc.double({ min, max, noNaN: true }) : fc.integer({ min, max });
      return field.optional ? fc.option(value) : value;
    }
    case "names":
      return names;
    case "gpus":
      return gpus;
    case "schedule":
      return schedule;
    case "idle":
      return idle;
    case "inUse":
      return inUse;
  }
}

export const anyRules = fc.record(
  Object.fromEntries(ruleNames.map((name) => [name, ownRules[name] ?? arbitraryOf(ruleOf(name).field)])),
) as unknown as fc.Arbitrary<Rules>;
