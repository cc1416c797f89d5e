import { describe, expect, it } from "vitest";
import type { DonorSnapshot } from "../app/contract/snapshot.ts";
import { known } from "../app/policy/facts.ts";
import { defaultRules } from "../app/policy/rules.ts";
import { callPanel } from "./call-panel.ts";
import type { Settings } from "./donor/settings.ts";
import { initialSnapshot } from "./donor/views.ts";
import { silentLog } from "./log.ts";
import { createPanelHandlers } from "./panel-handlers.ts";
import { createSnapshotStore } from "./snapshot-store.ts";

const now = 1_000_000;
const program = { name: "n", version: "1", shell: "headless" } as const;

function panel(save: () => Promise<void> = () => Promise.resolve()) {
  const state = {
    settings: { pause: null, donateNowUntil: null, rules: defaultRules } as Settings,
    wakes: 0,
    quits: 0,
  };
  const snapshot = createSnapshotStore(initialSnapshot(program, state.settings, null));
  const handlers = createPanelHandlers({
    snapshot,
    settings: {
      current: () => state.settings,
      change: (change) => {
        state.settings = { ...state.settings, ...change };
        return save();
      },
    },
    onSettings: () => state.wakes++,
    enroll: (code) => Promise.resolve({ kind: "refused", message: `no ${code}` }),
    quit: () => state.quits++,
    log: silentLog,
    now: () => now,
  });
  return {
    state,
    handlers,
    snapshot,
    call: (name: unknown, argument: unknown) => callPanel(handlers, name, argument),
  };
}

const ok = { kind: "ok", value: null };

describe("the panel's calls", () => {
  it("pause, resume and donate now", async () => {
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

  it("change the rules that are named, and no others", async () => {
    const { state, call } = panel();
    await call("setRules", { idleAfterSeconds: 60, allowOnBattery: true });
    expect(state.settings.rules).toEqual({ ...defaultRules, idleAfterSeconds: 60, allowOnBattery: true });
  });

  it("hold in memory, and say so, when the disk takes nothing", async () => {
    const { state, call } = panel(() => Promise.reject(new Error("ENOSPC")));
    const reply = await call("pause", { minutes: null });
    expect(reply.kind).toBe("refused");
    expect(state.settings.pause).toEqual({ until: null });
  });

  it("enrol, quit and show everything", async () => {
    const { state, call } = panel();
    expect(await call("enroll", { code: " GLN-1234 " })).toEqual({ kind: "refused", message: "no GLN-1234" });
    expect(await call("getSnapshot", null)).toMatchObject({ kind: "ok", value: { version: "1" } });
    expect(await call("quit", null)).toEqual(ok);
    await new Promise(setImmediate);
    expect(state.quits).toBe(1);
  });

  it.each([
    ["launch", null],
    ["constructor", null],
    [7, null],
    ["pause", { minutes: 0 }],
    ["pause", {}],
    ["pause", null],
    ["donateNow", { minutes: 1e9 }],
    ["setRules", { requireIdle: false }],
    ["setRules", { idleAfterSeconds: "60" }],
    ["enroll", { code: "x".repeat(1_000) }],
  ])("refuse %j with %j", async (name, argument) => {
    const { state, call } = panel();
    expect((await call(name, argument)).kind).toBe("refused");
    expect(state.wakes).toBe(0);
  });
});

describe("the snapshot", () => {
  it("tells what really changed, and nothing else", () => {
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
