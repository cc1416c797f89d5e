import type { ReactNode } from "react";
import type { ModelView, OrganizationView } from "../../../app/contract/snapshot.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { modelWords } from "../../ui/status-words.ts";
import { progressOf, progressWords } from "./model-progress.ts";

export function Models({
  models,
  organization = null,
}: {
  readonly models: readonly ModelView[];
  readonly organization?: OrganizationView | null;
}): ReactNode {
  const { keyFingerprint = null, problem = null } = organization ?? {};
  return (
    <Card title="Models">
      {problem === null ? null : (
        <p role="alert" className="mb-2 font-medium">
          {problem}
        </p>
      )}
      {models.length === 0 && problem === null ? (
        <p className="text-muted">Your organization offers this computer no model.</p>
      ) : null}
      <ul className="grid gap-1.5">
        {models.map((model) => (
          <li key={model.modelId} className="grid gap-1">
            <div className="flex items-center justify-between gap-3">
              <span className="min-w-0 truncate font-medium">{model.modelId}</span>
              <span className="flex items-center gap-3">
                <span className="text-xs text-muted">{formatBytes(model.sizeBytes)}</span>
                <Badge tone={modelWords[model.state].tone}>{modelWords[model.state].words}</Badge>
              </span>
            </div>
            <Progress model={model} />
          </li>
        ))}
      </ul>
      {keyFingerprint === null ? null : (
        <p className="text-xs text-muted">
          {problem === null ? "Signed by your" : "Your"} organization’s key {keyFingerprint}
        </p>
      )}
    </Card>
  );
}

function Progress({ model }: { readonly model: ModelView }): ReactNode {
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
