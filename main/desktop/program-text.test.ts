import { expect, it } from "vitest";
import { donorProblem } from "../../app/contract/membership.ts";
import { type StartSentence, startSentences } from "../../app/contract/sentences/start-sentences.ts";
import type { ModelView } from "../../app/contract/snapshot.ts";
import { languages } from "../../app/format/languages.ts";
import { type WaitReason, waitWords } from "../../app/models/wait-reasons.ts";
import { idleLimits } from "../../app/policy/limits.fixture.ts";
import { activityReasons, donateReasons, standbyReasons } from "../../app/policy/reasons.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import type { TrayEntry } from "../tray/tray-menu.ts";
import type { FailedStart } from "./failed-start.ts";
import { loadProgramText } from "./load-program-text.ts";
import type { ProgramText } from "./program-text.ts";

const now = new Date(2026, 10, 21, 18, 30).getTime();
const tomorrow = new Date(2026, 10, 22, 8, 0).getTime();

type Shown = Parameters<ProgramText["trayMenu"]>[0];

const idle: Shown = {
  activity: { kind: "donating", reason: "idle", since: now, limits: idleLimits },
  work: null,
  models: [],
  organization: { name: "Acme" },
  earnings: null,
  pause: null,
  donateNowUntil: null,
  finishThenPause: false,
  rules: defaultRules,
  ruleLayers: { from: { allowLeave: "default" } },
  device: { id: "d1", name: "Laptop" },
};
const standby = { kind: "standby", since: now } as const;
const model: ModelView = { modelId: "m-7b", sizeBytes: 1_000, state: "waiting" };
const earnings = { balanceMicro: "0", jobsSucceeded: 0, todayMicro: "1500000", todayJobs: 1_248 };
const one = { ...earnings, todayMicro: "1000000", todayJobs: 1 };
const work: Shown["work"] = {
  attemptId: "a",
  kind: "chat",
  modelId: "m-7b",
  startedAt: now,
  phase: "writing",
  writtenChars: 0,
};
const updates: Shown["updates"] = {
  kind: "on",
  channel: "stable",
  lookedAt: now,
  problem: null,
  byItself: true,
  rolledBack: null,
  next: { version: "1.3.0", state: "ready" },
};
const problem = { sentence: "-", remedy: "code" } as const;

const keys = <T extends object>(of: T) => Object.keys(of) as (keyof T)[];

/** Snapshots that show every text of the tray. */
const states: readonly Shown[] = [
  ...keys(donateReasons).flatMap((reason): Shown[] => {
    const activity = { ...idle.activity, reason } as Shown["activity"];
    return [
      { ...idle, activity },
      { ...idle, activity, work },
      { ...idle, activity, work, finishThenPause: true },
    ];
  }),
  ...keys(standbyReasons).flatMap((reason): Shown[] => {
    const shown = { ...idle, activity: { ...standby, reason } };
    return [
      shown,
      { ...shown, device: null },
      { ...shown, pause: { until: null } },
      { ...shown, pause: { until: tomorrow } },
      { ...shown, organization: { name: "Acme", needsVersion: "2.0.0", problem: "-" } },
      ...donorProblem.shape.kind.options.map((kind): Shown => ({ ...shown, problem: { ...problem, kind } })),
      ...donorProblem.shape.kind.options.map((kind): Shown => ({
        ...shown,
        problem: { ...problem, kind, remedy: "wait" },
      })),
    ];
  }),
  ...keys(waitWords).flatMap((reason: WaitReason): Shown[] => [
    { ...idle, models: [{ ...model, why: { reason, detail: null } }] },
    { ...idle, models: [{ ...model, why: { reason, detail: null }, downloadedBytes: 420 }] },
  ]),
  { ...idle, models: [{ ...model, state: "downloading", downloadedBytes: 420 }] },
  { ...idle, donateNowUntil: tomorrow },
  { ...idle, earnings },
  { ...idle, earnings: one },
  { ...idle, updates },
];

function labelsOf(entries: readonly TrayEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === "separator") return [];
    return entry.kind === "submenu" ? [entry.label, ...labelsOf(entry.entries)] : [entry.label];
  });
}

/** Each reason that keeps the program from starting, with values that are no words. */
const failedStarts: readonly FailedStart[] = [
  ...keys(startSentences).map((name): FailedStart => {
    const sentence: StartSentence = { name, values: ["1", "2", "3"] };
    return { kind: "refused", sentence };
  }),
  { kind: "options", why: "1" },
  { kind: "error", why: "1" },
];

/** All that the program says, in the same order in each language. */
function textsOf({ trayMenu, traySentence, windowFailed, startFailed }: ProgramText): readonly string[] {
  return [
    ...states.flatMap((state) => [traySentence(state, now), ...labelsOf(trayMenu(state, now))]),
    ...Object.values(windowFailed()),
    ...failedStarts.flatMap((failed) => Object.values(startFailed(failed))),
  ];
}

/** Names and commands, which are the same in each language. */
const names = new Set(
  "Gleaner GLEANER MANAGED CODE GLN INSECURE HTTP JSON KiB TLS URL https sha256 gleaner donate managed backend pin rejoin insecure http sudo chown root chmod reg exe".match(
    /\p{L}{3,}/gu,
  ),
);

const wordsOf = (text: string): readonly string[] => text.match(/\p{L}{3,}/gu) ?? [];

const others = keys(languages).filter((language) => language !== "en");

it.each(others)("says everything in %s, and leaves no English word", async (language) => {
  const [english, other] = (await Promise.all([loadProgramText("en"), loadProgramText(language)])).map(
    textsOf,
  );
  expect(other).toHaveLength(english?.length ?? 0);
  for (const [at, text] of (english ?? []).entries()) {
    const left = wordsOf(text).filter(
      (word) => !names.has(word) && wordsOf(other?.[at] ?? "").includes(word),
    );
    expect(left, `${text} → ${other?.[at] ?? ""}`).toEqual([]);
  }
});

it("the states of this test show every reason", async () => {
  const { traySentence } = await loadProgramText("en");
  const said = new Set(states.map((state) => traySentence(state, now)));
  const briefs = Object.values(activityReasons).map(({ brief }) => brief);
  expect(briefs.filter((brief) => !said.has(brief))).toEqual([]);
});

it("speaks German, with its plurals, numbers and dates", async () => {
  const { trayMenu, traySentence, windowFailed } = await loadProgramText("de");
  const menu = (shown: Shown) => labelsOf(trayMenu(shown, now));
  expect(menu({ ...idle, earnings })).toEqual([
    "Gleaner ist bereit für den nächsten Auftrag, während Sie weg sind.",
    "Heute: 1.248 Aufträge, 1,5 Credits",
    "Anhalten",
    "Für 15 Minuten",
    "Für 1 Stunde",
    "Für 4 Stunden",
    "Bis morgen 8:00",
    "Bis Montag 8:00",
    "Bis ich fortsetze",
    "Andere Dauer …",
    "Jetzt 1 Stunde spenden",
    "Gleaner öffnen",
    "Einstellungen …",
    "Beenden",
  ]);
  expect(menu({ ...idle, earnings: one })[1]).toBe("Heute: 1 Auftrag, 1 Credit");
  const paused = {
    ...idle,
    activity: { ...standby, reason: "paused-by-you" },
    pause: { until: tomorrow },
  } as const;
  expect(traySentence(paused, now)).toBe("Gleaner pausiert bis morgen 08:00.");
  expect(windowFailed().message).toBe("Das Fenster von Gleaner stürzt immer wieder ab.");
});

it("speaks English as the code has it", async () => {
  const { traySentence } = await loadProgramText("en");
  expect(traySentence(idle, now)).toBe("Gleaner is ready for the next job while you are away.");
});
