import type { ReactNode } from "react";
import { comfortParts, judgeHour } from "../../../app/comfort/judge.ts";
import type { ComfortView } from "../../../app/comfort/view.ts";
import { partWords, sayFan, sayPart, sayWeek, verdictWords } from "../../../app/comfort/words.ts";
import { formatMoment } from "../../../app/format/time.ts";
import type { Rules } from "../../../app/policy/rules.ts";
import { Card } from "../../ui/Card.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { Tightened } from "./Tightened.tsx";

type Props = { readonly comfort: ComfortView; readonly rules: Rules };

/** Whether donating kept its promises to the person here: one line, and its parts on request. */
export function Comfort({ comfort, rules }: Props): ReactNode {
  const { hour, week } = comfort;
  const when = useFromNow((now) => (hour === null ? "" : formatMoment(hour.startAt, now)));
  if (hour === null) {
    return (
      <Card title="Comfort">
        <p className="text-muted">
          Gleaner measures each hour whether it disturbs. The first figures appear after the first hour of
          donation.
        </p>
      </Card>
    );
  }
  const judgement = judgeHour(hour);
  return (
    <Card title="Comfort">
      <p>{sayWeek(week)}</p>
      <div className="mt-2">
        <Tightened comfort={comfort} rules={rules} />
      </div>
      <details className="mt-2">
        <summary className="w-fit cursor-pointer text-xs text-muted">
          The last hour of donation, {when}
        </summary>
        <dl aria-label="The last hour of donation" className="mt-2 grid gap-2">
          {comfortParts.map((part) => (
            <div key={part} className="grid grid-cols-[1fr_auto] gap-x-3">
              <dt className="font-medium">{partWords[part].title}</dt>
              <dd className={judgement[part] === "broken" ? "font-medium text-hold" : "text-muted"}>
                {verdictWords[judgement[part]]}
              </dd>
              <dd className="col-span-2 text-xs text-muted">
                {partWords[part].promise} {sayPart(part, hour)}
              </dd>
            </div>
          ))}
          <div>
            <dt className="font-medium">Fan</dt>
            <dd className="text-xs text-muted">{sayFan(hour)}</dd>
          </div>
        </dl>
      </details>
    </Card>
  );
}
