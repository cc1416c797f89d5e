import { type ReactNode, useState } from "react";
import { formatBytes, formatCount } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { modelWords } from "../../ui/status-words.ts";
import { useAct } from "../state/actions.ts";
import type { ModelRow } from "./model-rows.ts";
import { ModelProgress } from "./ModelProgress.tsx";
import { RemoveModel } from "./RemoveModel.tsx";

type Props = { readonly row: ModelRow; readonly organization: string };

/** One model, with its removal and its download. */
export function ModelItem({ row, organization }: Props): ReactNode {
  const act = useAct();
  const [isAsking, setIsAsking] = useState(false);
  const { modelId, view, canRemove, canFetch } = row;
  return (
    <li className="grid gap-1 py-3 first:pt-1 last:pb-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0 font-medium wrap-anywhere">{modelId}</span>
        <Badge tone={modelWords[view.state].tone}>{modelWords[view.state].words}</Badge>
      </div>
      <Facts row={row} />
      <ModelProgress model={view} />
      {canRemove || canFetch ? (
        <div className="mt-1 flex flex-wrap gap-2">
          {canFetch ? (
            <Button size="sm" onClick={() => act("fetchModel", { modelId })}>
              Fetch again<span className="sr-only"> {modelId}</span>
            </Button>
          ) : null}
          {canRemove ? (
            <Button size="sm" onClick={() => setIsAsking(true)}>
              Remove<span className="sr-only"> {modelId}</span>
            </Button>
          ) : null}
        </div>
      ) : null}
      {isAsking ? (
        <RemoveModel
          row={row}
          organization={organization}
          onConfirm={() => act("removeModel", { modelId })}
          onClose={() => setIsAsking(false)}
        />
      ) : null}
    </li>
  );
}

function Facts({
  row: { view, isBundled, isOffered, diskBytes, lastUsedAt, speed },
}: Pick<Props, "row">): ReactNode {
  const isHere = diskBytes === view.sizeBytes;
  return (
    <div className="text-xs text-muted">
      <p>{isHere ? `${formatBytes(diskBytes)} on the disk` : formatBytes(view.sizeBytes)}</p>
      {lastUsedAt === null ? null : (
        <p>
          Last used <RelativeTime at={lastUsedAt} />
        </p>
      )}
      {speed === null ? null : (
        <p>
          {speed.backend === "cpu"
            ? `Reads ${formatCount(speed.prefill)} and writes ${formatCount(speed.generate)} tokens (parts of words) per second on the processor.`
            : `Reads ${formatCount(speed.prefill)} and writes ${formatCount(speed.generate)} tokens (parts of words) per second on the graphics card.`}
        </p>
      )}
      {isBundled ? <p>It came with the program.</p> : null}
      {isOffered ? null : <p>Your organization no longer offers it.</p>}
    </div>
  );
}
