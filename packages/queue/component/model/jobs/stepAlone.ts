import type { Id, MutationCtx } from "../../builders.ts";
import { maintenance } from "../references.ts";

/** What happens to one job in work that nobody waits for. */
export type Step =
  | { readonly kind: "cancel"; readonly jobId: Id<"jobs"> }
  | { readonly kind: "expire"; readonly jobId: Id<"jobs"> }
  | { readonly kind: "revive"; readonly jobId: Id<"jobs"> }
  | { readonly kind: "lose"; readonly attemptId: Id<"attempts"> }
  | { readonly kind: "settle"; readonly dependencyId: Id<"dependencies"> };

/**
 * Takes a step in a transaction within the caller's: what throws there, such as the app's `onFinal`, undoes this step
 * alone. Not for a worker's own call, which is refused then.
 * @returns false when it threw: the caller tries again later.
 */
export async function stepAlone(ctx: MutationCtx, step: Step): Promise<boolean> {
  try {
    await ctx.runMutation(maintenance.step, { step });
    return true;
  } catch (error) {
    console.error(`The queue's step ${JSON.stringify(step)} is put off, since it threw:`, error);
    return false;
  }
}
