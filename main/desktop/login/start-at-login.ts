import { sayDonorSentence, sentenceOf } from "../../../app/contract/sentences/donor-sentences.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import type { DonorHandlers } from "../../face/answer-call.ts";
import type { SnapshotStore } from "../../face/snapshot-store.ts";
import { errorName, type Log } from "../../log.ts";

/** The system's record that starts a program when its user logs in. */
export type LoginItem = {
  readonly find: () => Promise<FoundItem>;
  /** Adds the item or replaces it. */
  readonly add: () => Promise<void>;
  readonly remove: () => Promise<void>;
};

/** `off`: the item exists, but its user turned it off in the system's settings. */
export type FoundItem = "absent" | "on" | "off";

type Rule = Pick<DonorSnapshot, "rules" | "ruleLayers">;

/** `decline`: the person removed the item or turned it off outside of Gleaner, so that becomes their choice. */
type Step = "add" | "remove" | "decline" | "none";

/** The step at the program's start. A lock wins over what the person did outside of Gleaner. */
export function stepAtStart({ rules, ruleLayers: { from, locked } }: Rule, found: FoundItem): Step {
  if (!rules.startAtLogin) return found === "absent" ? "none" : "remove";
  if (found === "on" || locked.includes("startAtLogin")) return "add";
  // A suggestion of the organization may not have been applied yet.
  return found === "off" || from.startAtLogin === "donor" ? "decline" : "add";
}

type Deps = {
  readonly item: LoginItem;
  readonly snapshot: SnapshotStore;
  readonly setRules: DonorHandlers["setRules"];
  readonly log: Log;
};

/**
 * Keeps the system's login item as the rule says, from now on. Shows in the snapshot if the system refuses. Returns a function
 * that removes the item after all changes under way, and never rejects.
 */
export function followStartAtLogin({ item, snapshot, setRules, log }: Deps): () => Promise<void> {
  let applied = snapshot.get().rules.startAtLogin;
  let working = Promise.resolve();
  const perform = (choose: () => Step | Promise<Step>): Promise<void> =>
    (working = working.then(async () => {
      try {
        const step = await choose();
        if (step === "add") await item.add();
        if (step === "remove") await item.remove();
        if (step === "decline") await setRules({ startAtLogin: false });
        snapshot.update({ startAtLogin: { problem: null } });
      } catch (error) {
        log("error", "login-item.failed", { error: errorName(error) });
        snapshot.update({ startAtLogin: problemOf(error) });
      }
    }));
  void perform(async () => stepAtStart(snapshot.get(), await item.find()));
  snapshot.onDelta(({ rules }) => {
    if (rules === undefined || rules.startAtLogin === applied) return;
    applied = rules.startAtLogin;
    void perform(() => (rules.startAtLogin ? "add" : "remove"));
  });
  return () => perform(() => "remove");
}

function problemOf(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  // A refusal of the file system names its call and the path, which say nothing to the person.
  const why = error instanceof Error && "syscall" in error ? (message.split(", ")[0] ?? message) : message;
  const said = sentenceOf("login-item-refused", why.slice(0, 300));
  return { problem: sayDonorSentence(said, why), said };
}
