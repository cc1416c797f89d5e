import { defineEvent, type WorkflowId, WorkflowManager } from "@convex-dev/workflow";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { components } from "./components";

export const workflow = new WorkflowManager(components.workflow, {
  workpoolOptions: {
    maxParallelism: 5,
    defaultRetryBehavior: { maxAttempts: 3, initialBackoffMs: 50, base: 2 },
  },
});

export const approval = defineEvent({ name: "approval", validator: v.object({ approved: v.boolean() }) });

/** A mutation, two actions at the same time, and a query, which all use earlier results. */
export const steps = workflow
  .define({ args: { text: v.string() }, returns: v.string() })
  .handler(async (step, { text }): Promise<string> => {
    const length = await step.runMutation(internal.steps.note, { text });
    const [first, second] = await Promise.all([
      step.runAction(internal.steps.shout, { text }),
      step.runAction(internal.steps.shout, { text: `${length}${text}` }),
    ]);
    const count = await step.runQuery(internal.steps.countNotes, { text }, { inline: true });
    return `${first} ${second} ${count}`;
  });

/** Returns its clock and a random number before and after a sleep. */
export const sleep = workflow
  .define({ args: { ms: v.number() } })
  .handler(async (step, { ms }): Promise<{ before: number; after: number; dates: boolean[] }> => {
    const before = Date.now();
    const isDate = new Date() instanceof Date;
    await step.sleep(ms);
    return { before, after: Date.now(), dates: [isDate, new Date() instanceof Date] };
  });

export const retry = workflow
  .define({ args: { name: v.string(), failures: v.number() } })
  .handler(async (step, args): Promise<number> =>
    step.runAction(internal.steps.shaky, args, { retry: true }),
  );

export const ask = workflow.define({ args: {} }).handler(async (step): Promise<boolean> => {
  const { approved } = await step.awaitEvent(approval);
  return approved;
});

export const parent = workflow
  .define({ args: { text: v.string() } })
  .handler(
    async (step, { text }): Promise<string> =>
      `${await step.runWorkflow(internal.workflows.steps, { text })}, nested`,
  );

/** Does what a workflow must not do. */
export const forbidden = workflow.define({ args: {} }).handler(async (): Promise<string> => {
  return typeof (globalThis as { crypto?: unknown }).crypto;
});

export type { WorkflowId };
