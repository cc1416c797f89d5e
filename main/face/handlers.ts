import type { PanelHandlers, Reply } from "../../app/contract/donor-calls.ts";
import type { EffectiveRules, SomeRules } from "../../app/policy/rule-layers.ts";
import { type RuleName, ruleNames } from "../../app/policy/rules.ts";
import type { Settings, SettingsStore } from "../donor/settings.ts";
import { errorName, type Log } from "../log.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

export type PanelParts = {
  readonly snapshot: SnapshotStore;
  readonly settings: SettingsStore;
  /** The rules as they are now, with who decided them. */
  readonly policy: () => EffectiveRules;
  /** Called after each change of the settings, before they are on disk. */
  readonly onSettings: () => void;
  /** Asks the computer for every fact again. */
  readonly refreshFacts: () => Promise<void>;
  readonly enroll: (code: string) => Promise<Reply>;
  readonly quit: () => void;
  readonly log: Log;
  readonly now?: () => number;
};

/** Changes settings for somebody: at once, and in words where that will not outlast a restart. */
function settingsChanger(
  parts: Pick<PanelParts, "settings" | "onSettings" | "log">,
): (changed: Partial<Settings>) => Promise<Reply> {
  return async (changed) => {
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
}

/** What the panel may ask of the donor. Arguments were parsed by the contract's schemas at the edge. */
export function createPanelHandlers(parts: PanelParts): PanelHandlers {
  const now = parts.now ?? Date.now;
  const change = settingsChanger(parts);
  const pauseUntil = (until: number | null): Promise<Reply> =>
    change({ pause: { until }, donateNowUntil: null, finishThenPause: false });
  return {
    getSnapshot: () => ({ kind: "ok", value: parts.snapshot.get() }),
    pause: (length) => {
      if ("minutes" in length) {
        return pauseUntil(length.minutes === null ? null : now() + length.minutes * 60_000);
      }
      return length.until <= now() ? refused("That moment is past.") : pauseUntil(length.until);
    },
    // A "donate now" stays until the pause: without it a person at the computer would have the job given back at once.
    finishThenPause: () => change({ finishThenPause: true }),
    resume: () =>
      change(
        parts.settings.current().finishThenPause
          ? { finishThenPause: false }
          : { pause: null, donateNowUntil: null },
      ),
    donateNow: ({ minutes }) => {
      if (!parts.policy().rules.allowDonateNow) return refused(notNow(parts.policy()));
      // Whoever asks to donate now does not want to stay paused.
      return change({ pause: null, finishThenPause: false, donateNowUntil: now() + minutes * 60_000 });
    },
    enroll: ({ code }) => parts.enroll(code),
    setRules: (rules) => {
      const locked = parts.policy().locked.filter((name) => Object.hasOwn(rules, name));
      if (locked.length > 0) return refused(`Your organization decides this (${locked.join(", ")}).`);
      return change({ rules: definedOf({ ...parts.settings.current().rules, ...rules }) });
    },
    resetRules: ({ names }) => {
      const left = Object.entries(parts.settings.current().rules).filter(
        ([name]) => !names.includes(name as RuleName),
      );
      return change({ rules: Object.fromEntries(left) });
    },
    refreshFacts: async () => {
      await parts.refreshFacts();
      return { kind: "ok", value: null };
    },
    quit: () => {
      // After the reply is on its way.
      setImmediate(parts.quit);
      return { kind: "ok", value: null };
    },
  };
}

function refused(message: string): Reply {
  return { kind: "refused", message };
}

function notNow({ from }: EffectiveRules): string {
  return from.allowDonateNow === "organization"
    ? "Your organization decides when this computer donates."
    : "Your rules do not allow to donate at any time. Change that in the settings first.";
}

function definedOf(rules: SomeRules): SomeRules {
  return Object.fromEntries(
    ruleNames.flatMap((name) => (rules[name] === undefined ? [] : [[name, rules[name]]])),
  );
}
