import type { ReactNode } from "react";
import { mainPart } from "../../../app/comfort/fleet.ts";
import { partWords } from "../../../app/comfort/words.ts";
import { formatCount, formatRate, formatShare, plural } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import type { FleetComfortWeek } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";

type Props = {
  /** Undefined while it loads. */
  readonly week: FleetComfortWeek | undefined;
};

/** The objective of comfort over the last week, kept or not, and the devices that broke most promises. Empty without donation. */
export function FleetComfort({ week }: Props): ReactNode {
  if (week === undefined || week.isKept === null) return null;
  const { target, hours, keptHours, isKept, worst } = week;
  return (
    <Card
      title="Comfort of donors, last seven days"
      aside={
        <Badge tone={isKept ? "good" : "hold"}>{isKept ? "Objective kept" : "Objective not kept"}</Badge>
      }
    >
      <p>
        {`${formatRate(keptHours / hours)} of ${plural(hours, ["# donated hour", "# donated hours"])} kept every promise.`}{" "}
        {`The objective is ${formatShare(target)}.`}
      </p>
      {worst.length === 0 ? null : (
        <>
          <p className="mt-2 text-muted">Devices with the most hours that broke a promise:</p>
          <ul aria-label="Devices with broken promises" className="mt-1 divide-y divide-line">
            {worst.map(({ deviceId, name, brokenHours, broken }) => (
              <li key={deviceId} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-1.5">
                <a
                  href={hrefOf("devices", deviceId)}
                  className="min-w-0 font-medium wrap-anywhere hover:underline"
                >
                  {name}
                </a>
                <span className="min-w-0 flex-1 text-muted">{reasonWords(broken)}</span>
                <span title={`${formatCount(brokenHours)} of the device’s donated hours`}>
                  {plural(brokenHours, ["# hour", "# hours"])}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function reasonWords(broken: FleetComfortWeek["broken"]): string {
  return `Mostly because ${partWords[mainPart(broken)].broken}.`;
}
