import type { ReactNode } from "react";
import { formatShare } from "../../../app/format/quantity.ts";
import type { ModelRow } from "../data/rows.ts";
import { fleetOf, fleetShare, restOfFleet } from "./model-words.ts";

/** Shows how many devices have the model and the progress of the others. */
export function FleetProgress({ model }: { readonly model: ModelRow }): ReactNode {
  const { ready, all } = fleetOf(model);
  if (all === 0) return <span className="text-muted">No device yet</span>;
  const share = fleetShare(model);
  const rest = restOfFleet(model);
  return (
    <div className="grid min-w-32 gap-1">
      <p>
        {ready} of {all} ready
      </p>
      <div
        role="progressbar"
        aria-label={`${model.modelId} across the fleet`}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={formatShare(share)}
        className="h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div
          className="h-full rounded-full bg-accent"
          style={{ width: formatShare(share) }}
        />
      </div>
      {rest === "" ? null : <p className="text-xs text-muted">{rest}</p>}
    </div>
  );
}
