import type { LoadReport, ModelFile } from "../../../app/contract/runner.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";

/** A model as the runner loaded it last. */
export type HeldModel = {
  readonly model: ModelFile;
  readonly report: Pick<LoadReport, "backend" | "contextTokens" | "sequences">;
};

/**
 * Whether a model has to be let go under the limits that hold now: its backend is no longer allowed, or it takes more
 * memory than a load of today would. Only what narrows counts: to use more, the next load is early enough.
 */
export function mustLetGo(
  { model, report }: HeldModel,
  plans: Pick<ModelPlans, "fits" | "planFor">,
): boolean {
  if (!plans.fits(model)) return true;
  const { backends, contextTokens, sequences } = plans.planFor(model);
  return (
    !backends.includes(report.backend) || contextTokens < report.contextTokens || sequences < report.sequences
  );
}
