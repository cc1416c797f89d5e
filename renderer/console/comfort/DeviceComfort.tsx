import type { ReactNode } from "react";
import { countHours } from "../../../app/comfort/fleet.ts";
import { type ComfortHour, leastDonatedSeconds, mostSteps } from "../../../app/comfort/hour.ts";
import { brokenParts } from "../../../app/comfort/judge.ts";
import { partWords, sayPart } from "../../../app/comfort/words.ts";
import { formatCount, plural } from "../../../app/format/quantity.ts";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";

/** The hours with a broken promise that are listed. */
const mostShown = 12;

type Props = {
  /** Newest first. Undefined while they load. */
  readonly hours: readonly ComfortHour[] | undefined;
};

/** The measured hours of a device's donation: how many kept the promises, and those that did not, with the reason. */
export function DeviceComfort({ hours }: Props): ReactNode {
  if (hours === undefined) return <SkeletonRows rows={2} />;
  const { hours: donated, keptHours } = countHours(hours.map((hour) => ({ deviceId: "", hour })));
  if (donated === 0) {
    return <p className="text-muted">This device has reported no hour of donation in the last eight days.</p>;
  }
  const broken = hours.filter(
    (hour) => hour.donatedSeconds >= leastDonatedSeconds && brokenParts(hour).length > 0,
  );
  const step = hours[0]?.step ?? 0;
  return (
    <>
      <p>
        {`${formatCount(keptHours)} of ${plural(donated, ["# donated hour", "# donated hours"])} in the last eight days kept every promise.`}{" "}
        {step === 0
          ? null
          : `The device has tightened its own limits (step ${String(step)} of ${String(mostSteps)}).`}
      </p>
      {broken.length === 0 ? null : (
        <ul aria-label="Hours that broke a promise" className="mt-2 divide-y divide-line">
          {broken.slice(0, mostShown).map((hour) => (
            <li key={hour.startAt} className="grid gap-0.5 py-1.5">
              <span className="flex justify-between gap-3 font-medium">
                <span>
                  {brokenParts(hour)
                    .map((part) => partWords[part].title)
                    .join(", ")}
                </span>
                <span className="text-xs font-normal text-muted">
                  <RelativeTime at={hour.startAt} />
                </span>
              </span>
              <span className="text-xs text-muted">
                {brokenParts(hour)
                  .map((part) => sayPart(part, hour))
                  .join(" ")}
              </span>
            </li>
          ))}
        </ul>
      )}
      {broken.length <= mostShown ? null : (
        <p className="mt-1 text-xs text-muted">
          {plural(broken.length - mostShown, ["And # more hour.", "And # more hours."])}
        </p>
      )}
    </>
  );
}
