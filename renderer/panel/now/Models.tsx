import type { ReactNode } from "react";
import type { ModelView } from "../../../app/contract/snapshot.ts";
import { formatBytes } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { progressOf, progressWords } from "./model-progress.ts";

const states = {
  ready: { tone: "good", words: "Ready" },
  verifying: { tone: "hold", words: "Checking the file" },
  downloading: { tone: "hold", words: "Downloading" },
  waiting: { tone: "quiet", words: "Waiting" },
  missing: { tone: "quiet", words: "Not here yet" },
  corrupt: { tone: "bad", words: "Damaged, not used" },
} as const;

export function Models({ models }: { readonly models: readonly ModelView[] }): ReactNode {
  return (
    <Card title="Models">
      {models.length === 0 ? (
        <p className="text-muted">Your organization has not chosen a model yet.</p>
      ) : null}
      <ul className="grid gap-1.5">
        {models.map((model) => (
          <li key={model.modelId} className="grid gap-1">
            <div className="flex items-center justify-between gap-3">
              <span className="min-w-0 truncate font-medium">{model.modelId}</span>
              <span className="flex items-center gap-3">
                <span className="text-xs text-muted">{formatBytes(model.sizeBytes)}</span>
                <Badge tone={states[model.state].tone}>{states[model.state].words}</Badge>
              </span>
            </div>
            <Progress model={model} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Progress({ model }: { readonly model: ModelView }): ReactNode {
  const words = progressWords(model);
  const share = progressOf(model);
  if (words === null) return null;
  return (
    <>
      {share === null ? null : (
        <progress
          className="h-1 w-full accent-current"
          aria-label={`Download of ${model.modelId}`}
          value={share}
          max={1}
        />
      )}
      <p className="text-xs text-muted">{words}</p>
    </>
  );
}
