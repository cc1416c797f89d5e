import type { ReactNode } from "react";
import type { ModelView, OrganizationView } from "../../../app/contract/snapshot.ts";
import { limitWords } from "../../../app/devices/limits.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { modelWords } from "../../ui/status-words.ts";
import { progressOf, progressWords } from "./model-progress.ts";

export function Models({
  models,
  organization = null,
  isProblemShown = false,
}: {
  readonly models: readonly ModelView[];
  readonly organization?: OrganizationView | null;
  /** The status shows already why the list was refused. */
  readonly isProblemShown?: boolean;
}): ReactNode {
  const { keyFingerprint = null, problem = null, heldBack = [] } = organization ?? {};
  const limits = limitWords(organization?.limits ?? {});
  return (
    <Card title="Models">
      {problem === null || isProblemShown ? null : (
        <p role="alert" className="mb-3 rounded-md bg-hold-tint px-3 py-2">
          {problem}
        </p>
      )}
      {models.length > 0 || (problem !== null && !isProblemShown) ? null : (
        <p className="text-muted">
          {problem === null
            ? "Your organization offers this computer no model."
            : "There is no list that this computer accepts."}
        </p>
      )}
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
      {heldBack.length === 0 ? null : (
        <p className="mt-2 text-xs wrap-anywhere text-muted">
          Your organization gives these models to other computers first: {heldBack.join(", ")}.
        </p>
      )}
      {limits.length === 0 ? null : (
        <p className="mt-2 text-xs text-muted">
          Your organization limits this computer: {limits.join("; ")}.
        </p>
      )}
      {keyFingerprint === null ? null : (
        <p className="mt-2 text-xs text-muted">
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
