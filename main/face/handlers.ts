import {
  type CallAnswer,
  done,
  ok,
  refused,
  refusedFor,
  type Reply,
} from "../../app/contract/donor-calls.ts";
import { mayLeave } from "../../app/contract/needs-you.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import type { EffectiveRules, SomeRules } from "../../app/policy/rule-layers.ts";
import { type RuleName, ruleNames } from "../../app/policy/rules.ts";
import { explain } from "../journal/explain.ts";
import { readJournal } from "../journal/read-journal.ts";
import { errorName, type Log } from "../log.ts";
import type { Reading } from "../sensors/base/sensor.ts";
import type { DonorHandlers } from "./answer-call.ts";
import { factsAnswer, type ModelRow, modelsAnswer, rulesAnswer, statusAnswer } from "./answers.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

/** The person's choices, which outlast a restart. */
type Choices = Pick<DonorSnapshot, "pause" | "donateNowUntil" | "finishThenPause"> & {
  readonly rules: SomeRules;
};

type HandlerDeps = {
  /** The donor's data folder, which holds its journal. */
  readonly folder: string;
  readonly snapshot: Pick<SnapshotStore, "get">;
  readonly settings: {
    readonly current: () => Choices;
    /** Takes effect in memory at once. On disk when it resolves. */
    readonly change: (change: Partial<Choices>) => Promise<void>;
  };
  /** The rules as they apply now, with their origin. */
  readonly policy: () => EffectiveRules;
  /** Called after each change of the settings, before they are on disk. */
  readonly onSettings: () => void;
  /** Reads every fact about this computer again. */
  readonly refreshFacts: () => Promise<void>;
  readonly readings: () => Readonly<Record<string, Reading>>;
  readonly computer: () => CallAnswer<"computer">;
  readonly models: {
    readonly list: () => readonly ModelRow[];
    /** Removes a model's file from this device. */
    readonly remove: (modelId: string) => Promise<Reply>;
    /** Undoes a removal. */
    readonly fetch: (modelId: string) => Promise<Reply>;
  };
  /** The organization's record of this device's past jobs. */
  readonly pastJobs: Pick<DonorHandlers, "earnings" | "history">;
  readonly bench: (modelId: string | null, gone?: AbortSignal) => Promise<Reply<CallAnswer<"bench">>>;
  readonly enroll: (code: string) => Promise<Reply>;
  readonly leave: () => Promise<Reply<CallAnswer<"leave">>>;
  readonly restartToUpdate: () => Reply;
  readonly quit: () => void;
  readonly log: Log;
  readonly now?: () => number;
};

/** Answers every call of the donor. Callers are checked and arguments parsed before. */
export function createDonorHandlers(deps: HandlerDeps): DonorHandlers {
  const now = deps.now ?? Date.now;
  const change = (changed: Partial<Choices>): Promise<Reply> => changeSettings(deps, changed);
  const pauseUntil = (until: number | null): Promise<Reply> =>
    change({ pause: { until }, donateNowUntil: null, finishThenPause: false });
  return {
    getSnapshot: () => ok(deps.snapshot.get()),
    status: () => ok(statusAnswer(deps.snapshot.get())),
    pause: (length) => {
      if ("minutes" in length) {
        return pauseUntil(length.minutes === null ? null : now() + length.minutes * 60_000);
      }
      return length.until <= now() ? refusedFor("time-passed") : pauseUntil(length.until);
    },
    // Keeps a "donate now" until the pause. Otherwise a person at the computer would make the donor give the job
    // back.
    finishThenPause: () => change({ finishThenPause: true }),
    resume: () =>
      change(
        deps.settings.current().finishThenPause
          ? { finishThenPause: false }
          : { pause: null, donateNowUntil: null },
      ),
    donateNow: ({ minutes }) => {
      if (!deps.policy().rules.allowDonateNow) return refusedFor(whyNotNow(deps.policy()));
      return change({ pause: null, finishThenPause: false, donateNowUntil: now() + minutes * 60_000 });
    },
    enroll: ({ code }) => deps.enroll(code),
    rules: () => ok(rulesAnswer(deps.snapshot.get())),
    setRules: (rules) => {
      const locked = deps.policy().locked.filter((name) => Object.hasOwn(rules, name));
      if (locked.length > 0) return refusedFor("rules-locked", locked.join());
      return change({ rules: definedOf({ ...deps.settings.current().rules, ...rules }) });
    },
    resetRules: ({ names }) => {
      const left = Object.entries(deps.settings.current().rules).filter(
        ([name]) => !names.includes(name as RuleName),
      );
      return change({ rules: Object.fromEntries(left) });
    },
    refreshFacts: async () => {
      await deps.refreshFacts();
      return done;
    },
    computer: () => ok(deps.computer()),
    facts: async () => {
      await deps.refreshFacts();
      return ok(factsAnswer(deps.readings(), deps.snapshot.get().confinement));
    },
    explain: async ({ since }) => {
      if (since >= now()) return refused("That time is in the future.");
      const entries = await readJournal(deps.folder).catch(errorName);
      if (typeof entries === "string") {
        return refusedFor("journal-unreadable", deps.folder, entries);
      }
      return ok(explain(entries, since, now()));
    },
    earnings: () => deps.pastJobs.earnings(null),
    history: (wanted) => deps.pastJobs.history(wanted),
    models: () => ok(modelsAnswer(deps.models.list())),
    removeModel: ({ modelId }) => deps.models.remove(modelId),
    fetchModel: ({ modelId }) => deps.models.fetch(modelId),
    bench: ({ modelId }, gone) => deps.bench(modelId, gone),
    leave: () => {
      const { rules, ...ruleLayers } = deps.policy();
      const { activity } = deps.snapshot.get();
      return mayLeave({ activity, rules, ruleLayers }) ? deps.leave() : refusedFor("locked-in");
    },
    restartToUpdate: () => deps.restartToUpdate(),
    quit: () => {
      // The reply goes out first.
      setImmediate(deps.quit);
      return done;
    },
  };
}

/**
 * Takes effect in memory at once. If writing to disk fails, the change lasts until a restart, and the person is told
 * so.
 */
async function changeSettings(
  { settings, onSettings, log }: Pick<HandlerDeps, "settings" | "onSettings" | "log">,
  changed: Partial<Choices>,
): Promise<Reply> {
  const saved = settings.change(changed);
  onSettings();
  try {
    await saved;
    return done;
  } catch (error) {
    log("error", "settings.not-saved", { error: errorName(error) });
    return refusedFor("not-saved");
  }
}

function whyNotNow({ from }: EffectiveRules) {
  return from.allowDonateNow === "organization"
    ? "organization-decides-when"
    : from.allowDonateNow === "managed"
      ? "administrator-decides-when"
      : "donate-now-off";
}

function definedOf(rules: SomeRules): SomeRules {
  return Object.fromEntries(
    ruleNames.flatMap((name) => (rules[name] === undefined ? [] : [[name, rules[name]]])),
  );
}
