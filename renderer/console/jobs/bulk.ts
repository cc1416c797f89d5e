import { plural } from "../../../app/format/quantity.ts";
import { noRetryHelps } from "../../../app/jobs/mendable.ts";
import type { JobRow } from "../data/rows.ts";
import { isOpen, isQueued } from "./job-words.ts";

type Priority = JobRow["priority"];

/** What can be done to several jobs at once. */
export type BulkChange =
  | { readonly kind: "cancel" | "retry" | "discard" }
  | { readonly kind: "priority"; readonly priority: Priority };

/** The jobs that a change applies to, and what it will do, in sentences. */
export type BulkPlan = {
  readonly jobs: readonly JobRow[];
  readonly title: string;
  readonly action: string;
  readonly sentences: readonly string[];
  readonly danger: boolean;
};

export function planOf(change: BulkChange, selected: readonly JobRow[]): BulkPlan {
  const jobs = selected.filter((job) => applies(change, job));
  const left = selected.length - jobs.length;
  const words = wordsOf(change, jobs.length);
  return {
    jobs,
    title: `${words.action}?`,
    action: words.action,
    danger: words.danger,
    sentences: [
      ...words.effects,
      ...(left === 0
        ? []
        : [
            `${plural(left, ["# selected job will not change", "# selected jobs will not change"])}: ${words.others}.`,
          ]),
    ],
  };
}

function applies(change: BulkChange, job: JobRow): boolean {
  switch (change.kind) {
    case "cancel":
      return isOpen(job.status);
    case "priority":
      return isQueued(job.status) && job.priority !== change.priority;
    case "retry":
      return isDead(job) && noRetryHelps(job.error) === null;
    case "discard":
      return isDead(job);
  }
}

function isDead({ status }: JobRow): boolean {
  return status === "failed" || status === "expired";
}

function wordsOf(change: BulkChange, count: number) {
  switch (change.kind) {
    case "cancel":
      return {
        action: plural(count, ["Cancel # job", "Cancel # jobs"]),
        danger: true,
        effects: [
          "After eight seconds the requesters get an error and the credits back, and devices stop working on them.",
          "Until then you can undo this.",
        ],
        others: "they have ended",
      };
    case "priority":
      return {
        action: prioritize(change.priority, count),
        danger: false,
        effects: [
          "A higher priority may cost their keys more. A lower one does not give credits back.",
          "You can undo this, and the price with it, as long as no device has taken the jobs.",
        ],
        others: "a device has started them, they have ended, or they have this priority",
      };
    case "retry":
      return {
        action: plural(count, ["Retry # job", "Retry # jobs"]),
        danger: false,
        effects: [
          "After eight seconds they wait for a device again, and their keys are charged again. Until then you can undo this.",
          "Those whose keys cannot pay stay as they are.",
        ],
        others: "they did not fail, or the request itself causes the error",
      };
    case "discard":
      return {
        action: plural(count, ["Discard # job", "Discard # jobs"]),
        danger: true,
        effects: [
          "After eight seconds their requests are deleted, so they can't be retried.",
          "Until then you can undo this.",
        ],
        others: "they are not failed or expired",
      };
  }
}

function prioritize(priority: JobRow["priority"], count: number): string {
  switch (priority) {
    case "high":
      return plural(count, ["Set # job to high priority", "Set # jobs to high priority"]);
    case "normal":
      return plural(count, ["Set # job to normal priority", "Set # jobs to normal priority"]);
    case "low":
      return plural(count, ["Set # job to low priority", "Set # jobs to low priority"]);
  }
}

/** The result of its undo. */
export function bulkRestored(done: number, asked: number): string {
  const restored = plural(done, [
    "# job has its former priority and price.",
    "# jobs have their former priority and price.",
  ]);
  return done === asked ? restored : `${restored} For the others it was too late.`;
}

/** The result of a change to several jobs. */
export function bulkDone(done: number, asked: number): string {
  if (done === asked) return plural(done, ["# job changed.", "# jobs changed."]);
  return `${plural(done, ["# job", "# jobs"])} of ${String(asked)} changed. The others refused it, or had changed before.`;
}
