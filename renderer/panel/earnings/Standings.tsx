import type { ReactNode } from "react";
import type { OwnStanding } from "../../../app/contract/past-jobs.ts";
import { reasonsOf } from "../../../app/trust/standing.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { standingWords } from "../../ui/status-words.ts";

/** How this computer stands with each model after checks and ratings of its answers. */
export function Standings({ standings }: { readonly standings: readonly OwnStanding[] }): ReactNode {
  return (
    <Card title="Checks of answers">
      <p className="text-xs text-muted">
        Other computers of your organization replay some answers with their own copy of the model. Requesters
        can rate answers, too. The better this computer stands, the fewer of its answers are replayed.
      </p>
      <ul aria-label="Standing by model" className="mt-1 divide-y divide-line">
        {standings.map((standing) => {
          const { tone, words } = standingWords[standing.rank];
          const reasons = reasonsOf(standing);
          return (
            <li key={standing.modelId} className="grid gap-0.5 py-1.5">
              <span className="flex flex-wrap items-center gap-x-3">
                <span className="font-medium wrap-anywhere">{standing.modelId}</span>
                <Badge tone={tone}>{words}</Badge>
              </span>
              {reasons.length === 0 ? null : <span className="text-xs text-muted">{reasons.join(" ")}</span>}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
