import type { ReactNode } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { Stat } from "../../ui/Stat.tsx";
import type { DeviceRatingCounts } from "../data/rows.ts";

type Props = {
  /** Undefined while they load. */
  readonly ratings: DeviceRatingCounts | undefined;
};

/** How requesters rated the answers of a device, as counts. */
export function DeviceRatings({ ratings }: Props): ReactNode {
  if (ratings === undefined) return <SkeletonRows rows={2} />;
  const { good, bad, upheld, more } = ratings;
  if (good + bad === 0)
    return <p className="text-muted">Nobody has rated an answer of this device in the last 90 days.</p>;
  const count = (number: number): string => `${formatCount(number)}${more ? "+" : ""}`;
  return (
    <>
      <dl className="grid grid-cols-3 gap-x-4 gap-y-2">
        <Stat label="Good" value={count(good)} />
        <Stat label="Bad" value={count(bad)} />
        <Stat label="Found wrong" value={count(upheld)} />
      </dl>
      <p className="mt-1 text-xs text-muted">
        Ratings by requesters in the last 90 days. An administrator looked at those that were found wrong.
      </p>
    </>
  );
}
