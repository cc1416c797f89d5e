import type { ReactNode } from "react";
import { formatPercent } from "../../../app/format/quantity.ts";
import { formatMoment } from "../../../app/format/time.ts";
import { formatPrice } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { PriceVersion } from "../data/rows.ts";

type Props = {
  /** The newest first; undefined while they load. */
  readonly versions: readonly PriceVersion[] | undefined;
  /** ms epoch. */
  readonly now: number;
  /** Null for those who may not. */
  readonly onCancel: ((version: PriceVersion) => void) | null;
  readonly onClose: () => void;
};

/** The versions of prices: what, from when, who and why. */
export function PriceHistory({ versions, now, onCancel, onClose }: Props): ReactNode {
  return (
    <Dialog title="Price history" onClose={onClose}>
      {versions === undefined ? (
        <SkeletonRows />
      ) : versions.length === 0 ? (
        <Empty title="No prices yet">Each price that is set from now on is listed here.</Empty>
      ) : (
        <ul
          className="max-h-96 divide-y divide-line overflow-auto pr-1 text-sm"
          aria-label="Versions of prices"
        >
          {versions.map((each) => (
            <li key={each.version} className="flex items-start justify-between gap-3 py-2">
              <div className="min-w-0 wrap-anywhere">
                <p className="font-medium">
                  {each.version} · {each.modelId ?? "All models"}
                </p>
                <p>{contentWords(each)}</p>
                <p className="text-xs text-muted">
                  Valid from {formatMoment(each.from, now)}. Set by {each.by}, {formatMoment(each.at, now)}.
                  {each.why === null ? null : <> {each.why}</>}
                </p>
              </div>
              <div className="flex shrink-0 flex-col items-end gap-1">
                {each.canceledAt !== null ? (
                  <Badge tone="quiet">Canceled</Badge>
                ) : each.from > Math.max(now, each.at) ? (
                  <>
                    <Badge tone="hold">Scheduled</Badge>
                    {onCancel === null ? null : (
                      <Button
                        size="sm"
                        aria-label={`Cancel it: version ${String(each.version)}`}
                        onClick={() => onCancel(each)}
                      >
                        Cancel it
                      </Button>
                    )}
                  </>
                ) : null}
              </div>
            </li>
          ))}
        </ul>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

function contentWords({ price, factors }: PriceVersion): string {
  if (price !== null)
    return `${formatPrice(price.promptMicro)} in + ${formatPrice(price.completionMicro)} out, credits per 1,000 tokens`;
  if (factors === null) return "";
  const { low, normal, high, text, embedding, classes = [], hours } = factors;
  const usual = `Low priority ${formatPercent(low)}, normal ${formatPercent(normal)}, high ${formatPercent(high)}; text ${formatPercent(text)}, embeddings ${formatPercent(embedding)}`;
  const ofClasses = classes.map(({ name, percent }) => `data class ${name} ${formatPercent(percent)}`);
  const all = [usual, ...ofClasses].join("; ");
  if (hours === null) return all;
  return `${all}; ${formatPercent(hours.percent)} from ${String(hours.from)} to ${String(hours.to)} h (UTC)`;
}
