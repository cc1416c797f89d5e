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
  priorityNotice,
  retryAllNotice,
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
  const retryAll = useAct(api.console.jobs.retryDeadLetters);
  const bulk = useBulk();
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
    retryAll: mayRetryAll ? (): void => void retryAll({ onlyMendable: true }, retryAllNotice) : null,
    discard: (job: JobRow): void => bulk({ kind: "discard" }, [job]),
  };
}

/** Changes jobs, with an undo. One that is refused does not stop the others. */
function useBulk(): ApplyBulk {
  const session = useSession();
  const toast = useToast();
  const changeSoon = useSoon();
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

/** Changes jobs after some seconds, in which a toast undoes it. The server does it also if the page is closed. */
function useSoon(): (act: HeldAct, jobs: readonly JobRow[]) => Promise<void> {
  const session = useSession();
  const toast = useToast();
  const change = useMemberMutation(api.console.jobs.changeSoon);
  const undo = useMemberMutation(api.console.jobs.undoChange);
  const tell = ({ words, tone, undo: act, undoForMs }: Notice): void => toast(words, tone, act, undoForMs);
  return async (act, jobs) => {
    const ids = jobs.map(({ jobId }) => jobId);
    const held: Awaited<ReturnType<typeof change>>[] = [];
    try {
      for (let from = 0; from < ids.length; from += changedAtOnce)
        held.push(await change({ session, act, jobIds: ids.slice(from, from + changedAtOnce) }));
    } catch (error) {
      toast(messageOf(error), "bad");
      if (held.length === 0) return;
    }
    const undoAll = async (): Promise<void> => {
      const outcomes = await Promise.all(held.map(async ({ heldId }) => await undo({ session, heldId })));
      tell(undoneNotice(act, outcomes));
    };
    const count = Math.min(ids.length, held.length * changedAtOnce);
    const undoIt = (): void => void undoAll().catch((error: unknown) => toast(messageOf(error), "bad"));
    tell(heldNotice(act, count, undoIt));
  };
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
