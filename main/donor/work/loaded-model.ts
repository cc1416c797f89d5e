import type { LoadReport, ModelFile } from "../../../app/contract/runner.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";

/** The model that the runner loaded last. */
export type LoadedModel = {
  readonly model: ModelFile;
  readonly report: Pick<LoadReport, "backend" | "contextTokens" | "sequences">;
};

/**
 * Whether the current limits require to unload a model: its backend is no longer allowed, or a new load would
 * take less memory. Wider limits wait for the next load, and so does a GPU that becomes free.
 */
export function mustUnload(
  { model, report }: LoadedModel,
  plans: Pick<ModelPlans, "fits" | "fitsRam" | "planFor">,
): boolean {
  if (!plans.fits(model)) return true;
  const { backends, contextTokens, sequences } = plans.planFor(model);
  const isAllowed =
    backends.includes(report.backend) || (report.backend === "cpu" && plans.fitsRam(model, report));
  return !isAllowed || contextTokens < report.contextTokens || sequences < report.sequences;
}
