import { api } from "../../../convex/_generated/api.js";
import { useToast } from "../../ui/overlays/Toast.tsx";
import type { JobRow } from "../data/rows.ts";
import { useAct, useMemberMutation, useScope, useSession } from "../data/session-context.ts";
import { bulkDone } from "./bulk.ts";
import type { ApplyBulk } from "./BulkBar.tsx";
import { priorityNotice, retryAllNotice, retryNotice } from "./retry-words.ts";

type Priority = JobRow["priority"];

/** The changes that the member may make to jobs; null for those who may change none. */
export function useJobChanges() {
  const cancel = useAct(api.console.jobs.cancel);
  const setPriority = useAct(api.console.jobs.setPriority);
  const retry = useAct(api.console.jobs.retryDeadLetter);
  const retryAll = useAct(api.console.jobs.retryDeadLetters);
  const discard = useAct(api.console.jobs.discardDeadLetter);
  const bulk = useBulk();
  const mayChange = useScope("jobs.change") !== null;
  const mayRetryAll = useScope("queue.change") !== null;
  if (!mayChange) return null;
  const prioritize = ({ jobId, priority: before }: JobRow, priority: Priority): void =>
    void setPriority({ jobId, priority }, (outcome) => ({
      ...priorityNotice(outcome),
      ...(outcome.kind === "changed"
        ? { undo: () => void setPriority({ jobId, priority: before }, priorityNotice) }
        : {}),
    }));
  return {
    bulk,
    prioritize,
    cancel: ({ jobId }: JobRow): void => void cancel({ jobId }, "The job was canceled."),
    retry: ({ jobId }: JobRow): void => void retry({ jobId }, retryNotice),
    retryAll: mayRetryAll ? (): void => void retryAll({ onlyMendable: true }, retryAllNotice) : null,
    discard: ({ jobId }: JobRow): void => void discard({ jobId }, "The job was discarded."),
  };
}

/** Changes jobs one after the other. One that is refused does not stop the others. */
function useBulk(): ApplyBulk {
  const session = useSession();
  const toast = useToast();
  const cancel = useMemberMutation(api.console.jobs.cancel);
  const setPriority = useMemberMutation(api.console.jobs.setPriority);
  const retry = useMemberMutation(api.console.jobs.retryDeadLetter);
  const discard = useMemberMutation(api.console.jobs.discardDeadLetter);
  const prioritizeAll = async (jobs: readonly JobRow[], priorityOf: (job: JobRow) => Priority) =>
    await succeeded(jobs, async (job) => {
      const change = { session, jobId: job.jobId, priority: priorityOf(job) };
      return (await setPriority(change)).kind === "changed";
    });
  return (change, jobs) => {
    const run = async (): Promise<void> => {
      if (change.kind === "priority") {
        const done = await prioritizeAll(jobs, () => change.priority);
        const undo = (): void =>
          void prioritizeAll(done, ({ priority }) => priority).then((undone) =>
            toast(bulkDone(undone.length, done.length)),
          );
        toast(bulkDone(done.length, jobs.length), "good", done.length === 0 ? undefined : undo);
        return;
      }
      const act = {
        cancel: async (jobId: string) => (await cancel({ session, jobId })).kind === "canceled",
        retry: async (jobId: string) => (await retry({ session, jobId })).kind === "ready",
        discard: async (jobId: string) => (await discard({ session, jobId })).kind === "discarded",
      }[change.kind];
      const done = await succeeded(jobs, async ({ jobId }) => await act(jobId));
      toast(bulkDone(done.length, jobs.length));
    };
    void run();
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
