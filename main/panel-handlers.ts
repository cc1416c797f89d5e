import type { CallArgument, PanelHandlers, Reply } from "../app/contract/ipc.ts";
import type { Rules } from "../app/policy/rules.ts";
import type { Settings, SettingsStore } from "./donor/settings.ts";
import { errorName, type Log } from "./log.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

export type PanelParts = {
  readonly snapshot: SnapshotStore;
  readonly settings: SettingsStore;
  /** Called after each change of the settings, before they are on disk. */
  readonly onSettings: () => void;
  readonly enroll: (code: string) => Promise<Reply>;
  readonly quit: () => void;
  readonly log: Log;
  readonly now?: () => number;
};

/** What the panel may ask of the donor. Arguments were parsed by the contract's schemas at the edge. */
export function createPanelHandlers(parts: PanelParts): PanelHandlers {
  const now = parts.now ?? Date.now;
  const change = async (changed: Partial<Settings>): Promise<Reply> => {
    const saved = parts.settings.change(changed);
    parts.onSettings();
    try {
      await saved;
      return { kind: "ok", value: null };
    } catch (error) {
      parts.log("error", "settings.not-saved", { error: errorName(error) });
      return {
        kind: "refused",
        message: "This holds until Gleaner restarts: its settings could not be saved to the disk.",
      };
    }
  };
  return {
    getSnapshot: () => ({ kind: "ok", value: parts.snapshot.get() }),
    pause: ({ minutes }) =>
      change({ pause: { until: minutes === null ? null : now() + minutes * 60_000 }, donateNowUntil: null }),
    resume: () => change({ pause: null, donateNowUntil: null }),
    // Whoever asks to donate now does not want to stay paused.
    donateNow: ({ minutes }) => change({ pause: null, donateNowUntil: now() + minutes * 60_000 }),
    enroll: ({ code }) => parts.enroll(code),
    setRules: (rules) => change({ rules: merged(parts.settings.current().rules, rules) }),
    quit: () => {
      // After the reply is on its way.
      setImmediate(parts.quit);
      return { kind: "ok", value: null };
    },
  };
}

function merged(rules: Rules, changed: CallArgument<"setRules">): Rules {
  return {
    ...rules,
    idleAfterSeconds: changed.idleAfterSeconds ?? rules.idleAfterSeconds,
    allowOnBattery: changed.allowOnBattery ?? rules.allowOnBattery,
    batteryFloorPercent: changed.batteryFloorPercent ?? rules.batteryFloorPercent,
    maxOtherCpuLoad: changed.maxOtherCpuLoad ?? rules.maxOtherCpuLoad,
  };
}
