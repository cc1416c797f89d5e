import type { ReactNode } from "react";
import type { ModelView, OrganizationView } from "../../../app/contract/snapshot.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { modelWords } from "../../ui/status-words.ts";
import { ListProblem } from "../models/ListNotes.tsx";
import { ModelProgress } from "../models/ModelProgress.tsx";

type Props = {
  readonly models: readonly ModelView[];
  readonly organization: OrganizationView | null;
  /** The status shows already why the list was refused. */
  readonly isProblemShown: boolean;
};

/** The models, while they keep this computer from working: none is ready, or the organization's list was refused. */
export function Models({ models, organization, isProblemShown }: Props): ReactNode {
  const isReady = models.some(({ state }) => state === "ready");
  if (isReady && (organization?.problem ?? null) === null) return null;
  return (
    <Card title="Models">
      <ListProblem
        organization={organization}
        isEmpty={models.length === 0}
        isProblemShown={isProblemShown}
      />
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
            <ModelProgress model={model} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
