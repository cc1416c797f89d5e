import { plural } from "../../../app/format/quantity.ts";
import { changeHeldMs } from "../../../app/jobs/limits.ts";
import type { RetryOutcome } from "../data/rows.ts";
import type { Notice } from "../data/session-context.ts";

const words: Readonly<Record<RetryOutcome["kind"], Notice>> = {
  ready: { words: "The job is ready again." },
  gone: { words: "The request is no longer stored, so it can't be retried.", tone: "bad" },
  "model-retired": { words: "The model was retired. Reinstate it on the page Models, then retry the job." },
  "call-ended": {
    words: "It is one of several jobs of a call that has ended, so it can't be retried.",
    tone: "bad",
  },
  "not-dead": { words: "The job was already retried." },
  restricted: {
    words:
      "Its API key is restricted, because such requests cost devices too much. Lift this on the page of keys.",
    tone: "bad",
  },
  "quota-exceeded": { words: "Its API key has too few credits for a retry.", tone: "bad" },
  "budget-used-up": {
    words: "The budget of its API key, or of the key's owner, is used up, so it can't be retried now.",
    tone: "bad",
  },
  revoked: { words: "Its API key was revoked or has expired, so it can't be retried.", tone: "bad" },
};

export function retryNotice({ kind }: RetryOutcome): Notice {
  return words[kind];
}

/** A change of jobs that waits for some seconds, so that it can be undone. */
export type HeldAct = "cancel" | "retry" | "discard";

/** A change that still waits, and its undo. */
export function heldNotice(words: string, undo: () => void): Notice {
  // The undo goes before its time is up, so that it does not come too late.
  return { words, undo, undoForMs: changeHeldMs - 500 };
}

const seconds = String(changeHeldMs / 1_000);

/** A retry of all failed and expired jobs that still waits. */
export function heldRetryOfAllWords(): string {
  return `The failed and expired jobs are retried in ${seconds} seconds.`;
}

export function heldWords(act: HeldAct, jobs: number): string {
  switch (act) {
    case "cancel":
      return plural(jobs, [
        `The job is canceled in ${seconds} seconds.`,
        `# jobs are canceled in ${seconds} seconds.`,
      ]);
    case "retry":
      return plural(jobs, [
        `The job is retried in ${seconds} seconds.`,
        `# jobs are retried in ${seconds} seconds.`,
      ]);
    case "discard":
      return plural(jobs, [
        `The job is discarded in ${seconds} seconds.`,
        `# jobs are discarded in ${seconds} seconds.`,
      ]);
  }
}

const undone: Readonly<Record<HeldAct, Notice>> = {
  cancel: { words: "Nothing was canceled." },
  retry: { words: "Nothing was retried." },
  discard: { words: "Nothing was discarded." },
};

/** The result of its undo. */
export function undoneNotice(
  act: HeldAct,
  outcomes: readonly { readonly kind: "undone" | "too-late" }[],
): Notice {
  return outcomes.every(({ kind }) => kind === "undone")
    ? undone[act]
    : { words: "It was too late to undo this.", tone: "bad" };
}

export function undoPriorityNotice({ kind }: { readonly kind: "undone" | "too-late" }): Notice {
  return kind === "undone"
    ? { words: "The job has its former priority and price." }
    : { words: "It was too late to undo the change: a device has taken the job.", tone: "bad" };
}

export function priorityNotice({ kind }: { readonly kind: "changed" | "not-queued" }): Notice {
  return kind === "changed"
    ? { words: "The priority was changed." }
    : { words: "A device has already started the job.", tone: "bad" };
}
