import { describe, expect, it } from "vitest";
import { done, ok as okWith, refused } from "../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { known } from "../../app/facts/facts.ts";
import { type EffectiveRules, effectiveRules, noOrganizationRules } from "../../app/policy/rule-layers.ts";
import { defaultRules } from "../../app/policy/rules.ts";
import { thisComputer } from "../donor/reports/this-computer.ts";
import { initialSnapshot } from "../donor/reports/views.ts";
import type { Settings } from "../donor/settings.ts";
import { silentLog } from "../log.ts";
import { answerCalls } from "./answer-call.ts";
import { createDonorHandlers } from "./handlers.ts";
import { createSnapshotStore } from "./snapshot-store.ts";

const now = 1_000_000;
const program = { name: "n", version: "1", shell: "headless" } as const;

function panel(save: () => Promise<void> = () => Promise.resolve()) {
  const state = {
    settings: { pause: null, donateNowUntil: null, finishThenPause: false, rules: {} } as Settings,
    organization: noOrganizationRules,
    refreshed: 0,
    wakes: 0,
    quits: 0,
  };
  const policy = (): EffectiveRules => {
    const { settings, organization } = state;
    return effectiveRules({ base: defaultRules, donor: settings.rules, organization });
  };
  const snapshot = createSnapshotStore(initialSnapshot(program, state.settings, policy(), null));
  const handlers = createDonorHandlers({
    folder: "/nowhere",
    snapshot,
    settings: {
      current: () => state.settings,
      change: (change) => {
        state.settings = { ...state.settings, ...change };
        return save();
      },
    },
    policy,
    onSettings: () => state.wakes++,
    refreshFacts: async () => void (state.refreshed += 1),
    readings: () => ({}),
    computer: () => thisComputer({ backendUrl: "https://office:3210", gpuMemoryMb: null, speeds: [] }),
    models: {
      list: () => [],
      remove: () => Promise.resolve(done),
      fetch: () => Promise.resolve(done),
    },
    pastJobs: { earnings: () => refused("Not now."), history: () => refused("Not now.") },
    restartToUpdate: () => done,
    bench: () => Promise.resolve(refused("Not now.")),
    enroll: (code) => Promise.resolve({ kind: "refused", message: `no ${code}` }),
    leave: () => Promise.resolve(okWith({ organization: "Acme", device: "n", isTold: true, kept: [] })),
    quit: () => state.quits++,
    log: silentLog,
    now: () => now,
  });
  return { state, snapshot, call: answerCalls("panel", handlers, silentLog) };
}

const ok = { kind: "ok", value: null };

describe("the donor's handlers", () => {
  it("pauses, resumes and donates now", async () => {
    const { state, call } = panel();
    expect(await call("pause", { minutes: 30 })).toEqual(ok);
    expect(state.settings.pause).toEqual({ until: now + 1_800_000 });
    expect(await call("pause", { minutes: null })).toEqual(ok);
    expect(state.settings.pause).toEqual({ until: null });
    await call("donateNow", { minutes: 1 });
    expect(state.settings).toMatchObject({ pause: null, donateNowUntil: now + 60_000 });
    await call("resume", null);
    expect(state.settings).toMatchObject({ pause: null, donateNowUntil: null });
    expect(state.wakes).toBe(4);
  });

  it("changes only the rules that are named", async () => {
    const { state, call } = panel();
    await call("setRules", { idleAfterSeconds: 60, allowOnBattery: true });
    await call("setRules", { schedule: null, idleAfterSeconds: 90 });
    expect(state.settings.rules).toEqual({ idleAfterSeconds: 90, allowOnBattery: true, schedule: null });
    await call("resetRules", { names: ["schedule", "idleAfterSeconds", "quiet"] });
    expect(state.settings.rules).toEqual({ allowOnBattery: true });
  });

  it("changes no rule that the organization locked", async () => {
    const { state, call } = panel();
    state.organization = { values: { quiet: true }, locked: ["quiet", "idleAfterSeconds"] };
    const reply = await call("setRules", { quiet: false, allowMetered: true });
    expect(reply).toMatchObject({ kind: "refused", message: expect.stringContaining("Quiet") as unknown });
    expect(await call("donateNow", { minutes: 5 })).toMatchObject({ kind: "refused" });
    expect(state.settings).toMatchObject({ rules: {}, donateNowUntil: null });
    expect(await call("setRules", { allowMetered: true })).toEqual(ok);
  });

  it("leaves, unless the organization locked its computers in", async () => {
    const { state, snapshot, call } = panel();
    expect(await call("leave", null)).toMatchObject({ kind: "ok", value: { organization: "Acme" } });
    state.organization = { values: { allowLeave: false }, locked: ["allowLeave"] };
    expect(await call("setRules", { allowLeave: true })).toMatchObject({ kind: "refused" });
    expect(await call("leave", null)).toMatchObject({ kind: "refused" });
    snapshot.update({ activity: { kind: "standby", reason: "retired", since: now } });
    expect(await call("leave", null)).toMatchObject({ kind: "ok" });
  });

  it("pauses only until a time in the future", async () => {
    const { state, call } = panel();
    expect((await call("pause", { until: now })).kind).toBe("refused");
    expect(await call("pause", { until: now + 1 })).toEqual(ok);
    expect(state.settings.pause).toEqual({ until: now + 1 });
  });

  it('sets and resets "finish, then pause"', async () => {
    const { state, call } = panel();
    await call("donateNow", { minutes: 1 });
    await call("finishThenPause", null);
    // The person is at the computer: "donate now" stays, so that the job may finish.
    const donating = { donateNowUntil: now + 60_000, pause: null };
    expect(state.settings).toMatchObject({ finishThenPause: true, ...donating });
    await call("resume", null);
    expect(state.settings).toMatchObject({ finishThenPause: false, ...donating });
  });

  it("reads all facts again on request", async () => {
    const { state, call } = panel();
    expect(await call("refreshFacts", null)).toEqual(ok);
    expect(state.refreshed).toBe(1);
  });

  it("changes a setting in memory and says so if the disk is full", async () => {
    const { state, call } = panel(() => Promise.reject(new Error("ENOSPC")));
    const reply = await call("pause", { minutes: null });
    expect(reply.kind).toBe("refused");
    expect(state.settings.pause).toEqual({ until: null });
  });

  it("enrolls, shows the snapshot and quits", async () => {
    const { state, call } = panel();
    expect(await call("enroll", { code: " GLN-1234 " })).toEqual({ kind: "refused", message: "no GLN-1234" });
    expect(await call("getSnapshot", null)).toMatchObject({ kind: "ok", value: { version: "1" } });
    expect(await call("quit", null)).toEqual(ok);
    await new Promise(setImmediate);
    expect(state.quits).toBe(1);
  });

  it.each([
    ["launch", null],
    ["bench", { modelId: null }],
    ["constructor", null],
    [7, null],
    ["pause", { minutes: 0 }],
    ["pause", {}],
    ["pause", { minutes: 5, until: 5 }],
    ["resetRules", { names: ["constructor"] }],
    ["setRules", { inUse: { mode: "limited" } }],
    ["setRules", { schedule: [{ days: [7], fromMinute: 0, toMinute: 60 }] }],
    ["pause", null],
    ["donateNow", { minutes: 1e9 }],
    ["setRules", { requireIdle: false }],
    ["setRules", { idleAfterSeconds: "60" }],
    ["enroll", { code: "x".repeat(1_000) }],
  ])("refuses %j with %j", async (name, argument) => {
    const { state, call } = panel();
    expect((await call(name, argument)).kind).toBe("refused");
    expect(state.wakes).toBe(0);
  });
});

describe("the snapshot", () => {
  it("tells its listeners only the changed fields of a snapshot", () => {
    const { snapshot } = panel();
    const deltas: Partial<DonorSnapshot>[] = [];
    const unsubscribe = snapshot.onDelta((delta) => deltas.push(delta));
    const facts = { ...snapshot.get().facts, idleSeconds: known(3) };
    snapshot.update({ version: "1", facts });
    snapshot.update({ facts: { ...facts } });
    expect(deltas).toEqual([{ facts }]);
    unsubscribe();
    snapshot.update({ version: "2" });
    expect(deltas).toHaveLength(1);
    expect(snapshot.get()).toMatchObject({ version: "2", facts });
  });
});
