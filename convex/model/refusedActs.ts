import { ConvexError, v } from "convex/values";
import type { Doc } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Act } from "./audit.ts";
import { record } from "./audit.ts";
import { admitRefusedAct } from "./rates.ts";
import type { Refusal } from "./refuse.ts";

/**
 * The answer of a mutation that its member may not do. An error would undo the audit entry, so this refusal is a value, which
 * clients turn into an error again.
 */
export const refusedAct = v.object({
  refused: v.object({ code: v.literal("forbidden"), message: v.string() }),
});

/** The refusal in an error that `refuse("forbidden", …)` threw; null for any other. */
export function forbiddenIn(error: unknown): Refusal | null {
  if (!(error instanceof ConvexError)) return null;
  const refusal = error.data as Partial<Refusal> | null;
  return refusal?.code === "forbidden" && typeof refusal.message === "string" ? (refusal as Refusal) : null;
}

/**
 * Records that a member was refused a function. False if they were refused too often in this minute: nobody may fill the trail.
 */
export async function recordRefusedAct(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  name: string,
  message: string,
  by: Act,
): Promise<boolean> {
  if (!(await admitRefusedAct(ctx, memberId))) return false;
  await record(ctx, { organizationId, ...by, action: "act.refused", subject: name, detail: message });
  return true;
}

/** The same context, and whether the function has written anything through it. */
export function noteWrites<Ctx extends MutationCtx>(
  ctx: Ctx,
): { readonly ctx: Ctx; readonly hasWritten: () => boolean } {
  let written = false;
  const note = (): void => {
    written = true;
  };
  const noted: Pick<MutationCtx, "db" | "scheduler" | "storage" | "runMutation"> = {
    db: notingCalls(ctx.db, ["insert", "patch", "replace", "delete"], note),
    scheduler: notingCalls(ctx.scheduler, ["runAfter", "runAt", "cancel"], note),
    storage: notingCalls(ctx.storage, ["delete", "generateUploadUrl"], note),
    runMutation: notingRuns(ctx.runMutation, note),
  };
  return { ctx: { ...ctx, ...noted }, hasWritten: () => written };
}

function notingCalls<Target extends object>(
  target: Target,
  names: readonly (keyof Target)[],
  note: () => void,
): Target {
  return new Proxy(target, {
    get: (whole, name) => {
      const value: unknown = Reflect.get(whole, name, whole);
      if (typeof value !== "function") return value;
      const call = value as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        if (names.includes(name as keyof Target)) note();
        return call.apply(whole, args);
      };
    },
  });
}

function notingRuns<Run extends (...args: never) => unknown>(run: Run, note: () => void): Run {
  return ((...args: never) => {
    note();
    return run(...args);
  }) as Run;
}
