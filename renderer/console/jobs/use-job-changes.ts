import type { FunctionReturnType } from "convex/server";
import { changedAtOnce } from "../../../app/jobs/limits.ts";
import { api } from "../../../convex/_generated/api.js";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { messageOf } from "../data/refusal.ts";
import type { JobRow } from "../data/rows.ts";
import { type Notice, useAct, useMemberMutation, useScope, useSession } from "../data/session-context.ts";
import { bulkDone, bulkRestored } from "./bulk.ts";
import type { ApplyBulk } from "./BulkBar.tsx";
import {
  type HeldAct,
  heldNotice,
  heldRetryOfAllWords,
  heldWords,
  priorityNotice,
  retryNotice,
  undoneNotice,
  undoPriorityNotice,
} from "./retry-words.ts";

type Priority = JobRow["priority"];

/** The changes that the member may make to jobs; null for those who may change none. */
export function useJobChanges() {
  const setPriority = useAct(api.console.jobs.setPriority);
  const undoPriority = useAct(api.console.jobs.undoPriority);
  const retry = useAct(api.console.jobs.retryDeadLetter);
  const soon = useSoon();
  const bulk = useBulk(soon.change);
  const mayChange = useScope("jobs.change") !== null;
  const mayRetryAll = useScope("queue.change") !== null;
  if (!mayChange) return null;
  const prioritize = ({ jobId }: JobRow, priority: Priority): void =>
    void setPriority({ jobId, priority }, (outcome) => ({
      ...priorityNotice(outcome),
      ...(outcome.kind === "changed"
        ? { undo: () => void undoPriority({ jobId, at: outcome.at }, undoPriorityNotice) }
        : {}),
    }));
  return {
    bulk,
    prioritize,
    cancel: (job: JobRow): void => bulk({ kind: "cancel" }, [job]),
    retry: ({ jobId }: JobRow): void => void retry({ jobId }, retryNotice),
    retryAll: mayRetryAll ? (): void => void soon.retryAll() : null,
    discard: (job: JobRow): void => bulk({ kind: "discard" }, [job]),
  };
}

/** Changes jobs, with an undo. One that is refused does not stop the others. */
function useBulk(changeSoon: Soon["change"]): ApplyBulk {
  const session = useSession();
  const toast = useToast();
  const undoPriority = useMemberMutation(api.console.jobs.undoPriority);
  const setPriority = useMemberMutation(api.console.jobs.setPriority);
  const prioritizeAll = async (jobs: readonly JobRow[], priority: Priority): Promise<void> => {
    const changed = new Map<string, number>();
    const done = await succeeded(jobs, async ({ jobId }) => {
      const outcome = await setPriority({ session, jobId, priority });
      if (outcome.kind !== "changed") return false;
      changed.set(jobId, outcome.at);
      return true;
    });
    const undo = async (): Promise<void> => {
      const undone = await succeeded(
        done,
        async ({ jobId }) =>
          (await undoPriority({ session, jobId, at: changed.get(jobId) ?? 0 })).kind === "undone",
      );
      toast(bulkRestored(undone.length, done.length));
    };
    toast(bulkDone(done.length, jobs.length), "good", done.length === 0 ? undefined : () => void undo());
  };
  return (change, jobs) =>
    void (change.kind === "priority" ? prioritizeAll(jobs, change.priority) : changeSoon(change.kind, jobs));
}

type Held = FunctionReturnType<typeof api.console.jobs.changeSoon>;
type Soon = {
  readonly change: (act: HeldAct, jobs: readonly JobRow[]) => Promise<void>;
  /** Retries all failed and expired jobs, also those that the page does not show. */
  readonly retryAll: () => Promise<void>;
};

/** Changes jobs after some seconds, in which a toast undoes it. The server does it also if the page is closed. */
function useSoon(): Soon {
  const session = useSession();
  const toast = useToast();
  const hold = useMemberMutation(api.console.jobs.changeSoon);
  const holdRetryOfAll = useMemberMutation(api.console.jobs.retryAllSoon);
  const undo = useMemberMutation(api.console.jobs.undoChange);
  const tell = ({ words, tone, undo: act, undoForMs }: Notice): void => toast(words, tone, act, undoForMs);
  const failed = (error: unknown): void => toast(messageOf(error), "bad");
  const offerUndo = (act: HeldAct, held: readonly Held[], words: string): void => {
    const undoAll = async (): Promise<void> => {
      const outcomes = await Promise.all(held.map(async ({ heldId }) => await undo({ session, heldId })));
      tell(undoneNotice(act, outcomes));
    };
    tell(heldNotice(words, () => void undoAll().catch(failed)));
  };
  const change = async (act: HeldAct, jobs: readonly JobRow[]): Promise<void> => {
    const ids = jobs.map(({ jobId }) => jobId);
    const held: Held[] = [];
    try {
      for (let from = 0; from < ids.length; from += changedAtOnce)
        held.push(await hold({ session, act, jobIds: ids.slice(from, from + changedAtOnce) }));
    } catch (error) {
      failed(error);
      if (held.length === 0) return;
    }
    offerUndo(act, held, heldWords(act, Math.min(ids.length, held.length * changedAtOnce)));
  };
  const retryAll = async (): Promise<void> => {
    try {
      offerUndo("retry", [await holdRetryOfAll({ session, onlyMendable: true })], heldRetryOfAllWords());
    } catch (error) {
      failed(error);
    }
  };
  return { change, retryAll };
}

/** The jobs that an action changed. */
async function succeeded(
  jobs: readonly JobRow[],
  act: (job: JobRow) => Promise<boolean>,
): Promise<readonly JobRow[]> {
  const done: JobRow[] = [];
  for (const job of jobs) {
    if (await act(job).catch(() => false)) done.push(job);
  }
  return done;
}
