import type { ReactNode } from "react";
import { formatCount, plural } from "../../../app/format/quantity.ts";
import type { RolloutAct } from "../../../app/models/rollout/acts.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { cx } from "../../ui/cx.ts";
import type { RolloutRow } from "../data/rows.ts";
import {
  actWords,
  failureWords,
  lineWords,
  possibleActs,
  rolloutBadges,
  situationWords,
  type StageLine,
  stageLines,
} from "./rollout-words.ts";

type Props = {
  readonly rollout: RolloutRow;
  /** Null for members who may only look. */
  readonly onAct: ((act: RolloutAct) => void) | null;
  /** The devices that failed, if they are shown. */
  readonly failures: ReactNode;
  /** Null: the member may see no devices. */
  readonly onFailures: ((isShown: boolean) => void) | null;
};

/** A model's roll-out: its stages with their devices, how it goes on, and the acts that are possible now. */
export function RolloutPanel({ rollout, onAct, failures, onFailures }: Props): ReactNode {
  const { modelId, state, stage, stages, reasons, previous } = rollout;
  const situation = useFromNow((now) => situationWords(rollout, now));
  const { words, tone } = rolloutBadges[state];
  const failed = reasons.reduce((sum, { devices }) => sum + devices, 0);
  const isShown = failures !== null;
  return (
    <section
      aria-label={`Roll-out of ${modelId}`}
      className="grid gap-3 rounded-md border border-line bg-sunken p-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone} dot busy={state === "running" || state === "planning"}>
          {words}
        </Badge>
        <span className="font-medium">
          Stage {stage + 1} of {stages.length}
        </span>
        <p className="min-w-0 basis-64 grow text-muted">{situation}</p>
      </div>
      <ol className="grid gap-2">
        {stageLines(rollout).map((line, at) => (
          <StageRow key={at} line={line} />
        ))}
      </ol>
      {failed === 0 ? null : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
          <span className="text-bad">
            {plural(failed, ["# device failed.", "# devices failed."])}{" "}
            {reasons.map(({ why, devices }) => `${failureWords(why)}: ${formatCount(devices)}.`).join(" ")}
          </span>
          {onFailures === null ? null : (
            <Button size="sm" look="quiet" aria-expanded={isShown} onClick={() => onFailures(!isShown)}>
              {isShown ? "Hide devices" : "Show devices"}
            </Button>
          )}
        </div>
      )}
      {failures}
      {onAct === null ? null : (
        <div className="flex flex-wrap gap-2">
          {possibleActs(rollout).map((act) => (
            <Button
              key={act}
              size="sm"
              aria-label={`${actWords[act].button}: ${modelId}`}
              onClick={() => onAct(act)}
            >
              {actWords[act].button}
            </Button>
          ))}
          {previous === null ? null : (
            <Button
              size="sm"
              look="quiet"
              aria-label={`Undo last change: ${modelId}`}
              onClick={() => onAct("undo")}
            >
              Undo last change
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

function StageRow({ line }: { readonly line: StageLine }): ReactNode {
  const { name, devices, place, ready, downloading, failed } = line;
  const parts = [
    { className: "bg-accent", count: ready },
    { className: "bg-hold", count: downloading },
    { className: "bg-bad", count: failed },
  ];
  const isFuture = place === "future";
  return (
    <li
      aria-current={place === "present" ? "step" : undefined}
      className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-0.5 sm:grid-cols-[6.5rem_minmax(0,1fr)_15rem]"
    >
      <span className={cx("truncate", isFuture ? "text-muted" : "", place === "present" && "font-medium")}>
        {name}
      </span>
      <span aria-hidden className="flex h-1.5 overflow-hidden rounded-full bg-line">
        {parts.map(({ className, count }) =>
          count === 0 ? null : (
            <span key={className} className={className} style={{ width: `${(count / devices) * 100}%` }} />
          ),
        )}
      </span>
      <span className="col-start-2 text-xs text-muted sm:col-start-3">{lineWords(line)}</span>
    </li>
  );
}
