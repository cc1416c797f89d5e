import { plural } from "../../../app/format/quantity.ts";
import { cancelHeldMs } from "../../../app/jobs/limits.ts";
import type { RetryOutcome } from "../data/rows.ts";
import type { Notice } from "../data/session-context.ts";

const words: Readonly<Record<RetryOutcome["kind"], Notice>> = {
  ready: { words: "The job is ready again." },
  gone: { words: "The request is no longer stored, so it can't be retried.", tone: "bad" },
  "model-retired": { words: "The model was retired. Reinstate it on the page Models, then retry the job." },
  "not-dead": { words: "The job was already retried." },
  restricted: {
    words: "Its API key is restricted, because such requests stopped devices. Lift this on the page of keys.",
    tone: "bad",
  },
  "quota-exceeded": { words: "Its API key has too few credits for a retry.", tone: "bad" },
  revoked: { words: "Its API key was revoked, so it can't be retried.", tone: "bad" },
};

export function retryNotice({ kind }: RetryOutcome): Notice {
  return words[kind];
}

type Retried = { readonly started: number; readonly more: boolean };

export function retryAllNotice({ started, more }: Retried): Notice {
  if (more) return { words: "The jobs are being retried, starting with those whose keys can pay." };
  if (started === 0)
    return { words: "No job could be retried. Retry a single job to see the reason.", tone: "bad" };
  return { words: plural(started, ["One job is ready again.", "# jobs are ready again."]) };
}

/** A cancel that still waits, and its undo. */
export function cancelNotice(jobs: number, undo: () => void): Notice {
  const seconds = String(cancelHeldMs / 1_000);
  return {
    words: plural(jobs, [
      `The job is canceled in ${seconds} seconds.`,
      `# jobs are canceled in ${seconds} seconds.`,
    ]),
    undo,
    // The undo goes before its time is up, so that it does not come too late.
    undoForMs: cancelHeldMs - 500,
  };
}

export function undoCancelNotice(outcomes: readonly { readonly kind: "undone" | "too-late" }[]): Notice {
  return outcomes.every(({ kind }) => kind === "undone")
    ? { words: "Nothing was canceled." }
    : { words: "It was too late to undo the cancel.", tone: "bad" };
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
