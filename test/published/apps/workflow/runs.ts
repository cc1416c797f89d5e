import {
  cancel as cancelWorkflow,
  getStatus,
  sendEvent,
  start as startWorkflow,
  vWorkflowId,
} from "@convex-dev/workflow";
import { vResultValidator } from "@convex-dev/workpool";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { components } from "./components";
import { approval, type WorkflowId } from "./workflows";

const name = v.union(
  ...(["steps", "sleep", "retry", "ask", "parent", "forbidden"] as const).map((each) => v.literal(each)),
);

export const start = mutation({
  args: { name, args: v.any() },
  handler: (ctx, { name, args }): Promise<WorkflowId> =>
    startWorkflow(ctx, internal.workflows[name], args, {
      onComplete: internal.runs.ended,
      context: { name },
    }),
});

export const ended = internalMutation({
  args: { workflowId: vWorkflowId, result: vResultValidator, context: v.object({ name: v.string() }) },
  handler: async (ctx, { workflowId, result, context }) => {
    const outcome = `${context.name}: ${result.kind}`;
    await ctx.db.insert("endings", { workflowId, outcome });
  },
});

export const endings = query({
  args: { workflowId: vWorkflowId },
  handler: async (ctx, { workflowId }) =>
    (
      await ctx.db
        .query("endings")
        .withIndex("by_workflow", (q) => q.eq("workflowId", workflowId))
        .collect()
    ).map(({ outcome }) => outcome),
});

export const status = query({
  args: { workflowId: vWorkflowId },
  handler: async (ctx, { workflowId }) => {
    const status = await getStatus(ctx, components.workflow, workflowId);
    return status.type === "completed" ? status : { type: status.type };
  },
});

export const cancel = mutation({
  args: { workflowId: vWorkflowId },
  handler: (ctx, { workflowId }) => cancelWorkflow(ctx, components.workflow, workflowId),
});

export const approve = mutation({
  args: { workflowId: vWorkflowId, approved: v.boolean() },
  handler: async (ctx, { workflowId, approved }) => {
    await sendEvent(ctx, components.workflow, { ...approval, workflowId, value: { approved } });
  },
});

/** An ordinary function: its globals must be Convex's, also while workflows are asleep. */
export const globals = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.db.query("notes").first();
    return {
      now: Date.now(),
      date: new Date(0).toISOString(),
      isDate: new Date() instanceof Date && new Date().constructor === Date,
      dateName: Date.name,
      crypto: typeof crypto.randomUUID(),
    };
  },
});
