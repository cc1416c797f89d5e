import type { ReactNode } from "react";
import type { ModelView } from "../../../app/contract/snapshot.ts";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { progressOf, progressWords } from "./model-progress.ts";

/** How far a model is, or why it is not ready. */
export function ModelProgress({ model }: { readonly model: ModelView }): ReactNode {
  const words = progressWords(model);
  const share = progressOf(model);
  if (words === null) return null;
  return (
    <>
      {share === null ? null : <ProgressBar label={`Download of ${model.modelId}`} share={share} />}
      <p className="text-xs text-muted">{words}</p>
    </>
  );
}
