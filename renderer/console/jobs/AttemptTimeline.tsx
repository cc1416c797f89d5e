import type { ReactNode } from "react";
import { formatDuration, formatFull } from "../../../app/format/time.ts";
import { Badge } from "../../ui/Badge.tsx";
import { useNow } from "../../ui/clock.ts";
import { cx } from "../../ui/cx.ts";
import { attemptWords } from "../../ui/status-words.ts";
import type { Tone } from "../../ui/tone.ts";
import type { JobDetail } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";
import { endWords, handOverWords, nameOf, speedWords, waitWords } from "./job-words.ts";
import { type HandOver, type Step, timelineOf } from "./timeline.ts";

const fills: Readonly<Record<Tone, string>> = {
  good: "fill-accent",
  hold: "fill-hold",
  rest: "fill-rest",
  bad: "fill-bad",
  quiet: "fill-faint",
};

/** The history of a job from its submission: waits, the attempts of devices, and the hand-overs between them. */
export function AttemptTimeline({ job }: { readonly job: JobDetail }): ReactNode {
  const now = useNow();
  const { steps, totalMs } = timelineOf(job, now);
  return (
    <div className="grid gap-3">
      {totalMs > 0 ? (
        <svg
          role="img"
          aria-label={`${formatDuration(totalMs)} from the submission on`}
          viewBox="0 0 1000 10"
          preserveAspectRatio="none"
          className="h-2.5 w-full rounded-sm"
        >
          {/* The marks of hand-overs are above the spans, or the next span would hide them. */}
          {[...steps.filter(isSpan), ...steps.filter((step) => !isSpan(step))].map((step) => (
            <rect
              key={step.key}
              x={Math.min((step.fromMs / totalMs) * 1_000, 998)}
              width={Math.max(2, (step.ms / totalMs) * 1_000)}
              height="10"
              className={fillOf(step)}
            />
          ))}
        </svg>
      ) : null}
      <ol className="grid gap-2">
        {steps.map((step) => {
          switch (step.kind) {
            case "wait":
              return (
                <li key={step.key} className="flex flex-wrap items-baseline gap-x-3 text-muted">
                  <span className="w-20 shrink-0 text-xs">Waited</span>
                  <span title={formatFull(step.at)}>{formatDuration(step.ms)}</span>
                  {step.isNow && job.wait !== null ? <span>{waitWords(job.wait, now)}</span> : null}
                </li>
              );
            case "attempt":
              return <Attempt key={step.key} step={step} />;
            case "hand-over":
              return <HandOverLine key={step.key} handOver={step.handOver} at={step.at} />;
          }
        })}
      </ol>
    </div>
  );
}

function isSpan({ kind }: Step): boolean {
  return kind !== "hand-over";
}

function fillOf(step: Step): string {
  switch (step.kind) {
    case "wait":
      return "fill-line";
    case "attempt":
      return fills[attemptWords[step.attempt.status].tone];
    case "hand-over":
      return "fill-ink";
  }
}

type HandOverProps = { readonly handOver: HandOver; readonly at: number };

function HandOverLine({ handOver, at }: HandOverProps): ReactNode {
  const { from, to } = handOver;
  return (
    <li className="flex items-baseline gap-x-3 text-muted">
      <span className="w-20 shrink-0 text-xs">Handed over</span>
      <span className="min-w-0 flex-1 text-xs wrap-anywhere" title={formatFull(at)}>
        {nameOf(from)} → {to === null ? "the queue" : nameOf(to)}. {handOverWords(handOver)}.
      </span>
    </li>
  );
}

type AttemptProps = { readonly step: Extract<Step, { readonly kind: "attempt" }> };

function Attempt({ step: { attempt, ms, isHandedOver } }: AttemptProps): ReactNode {
  const { number, deviceId, error, status, startedAt, endedAt, work } = attempt;
  // The hand-over says why the job left.
  const words = isHandedOver && error === null ? null : endWords(attempt);
  const { words: short, tone } = attemptWords[status];
  const speeds =
    work === null
      ? []
      : [
          speedWords(work.usage.promptTokens - (work.usage.cachedPromptTokens ?? 0), work.timing.prefillMs),
          speedWords(work.usage.completionTokens, work.timing.generateMs),
        ].flatMap((speed, place) =>
          speed === null ? [] : [place === 0 ? `read at ${speed}` : `written at ${speed}`],
        );
  return (
    <li className="grid gap-0.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="w-20 shrink-0 text-xs text-muted">Attempt {number}</span>
        {deviceId === null ? (
          <span className="font-medium">{nameOf(attempt)}</span>
        ) : (
          <a href={hrefOf("devices", deviceId)} className="font-medium hover:text-accent hover:underline">
            {nameOf(attempt)}
          </a>
        )}
        <Badge tone={tone} busy={status === "running"}>
          {short}
        </Badge>
        <span
          className="text-xs text-muted"
          title={`${formatFull(startedAt)} – ${endedAt === null ? /* @wc-include */ "now" : formatFull(endedAt)}`}
        >
          {formatDuration(ms)}
        </span>
      </div>
      {speeds.length === 0 ? null : <p className="pl-23 text-xs text-muted">{speeds.join(", ")}</p>}
      {words === null || words === short ? null : (
        <p className={cx("pl-23 text-xs", status === "failed" ? "text-bad" : "text-muted")}>{words}</p>
      )}
    </li>
  );
}
