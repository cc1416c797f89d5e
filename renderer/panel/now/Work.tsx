import { type ReactNode, useEffect, useRef, useState } from "react";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import { kindWords } from "../../../app/format/job-kind.ts";
import { formatCount } from "../../../app/format/quantity.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { cx } from "../../ui/cx.ts";
import { ratesOf, type Sample, sampleOf, withSample } from "./token-rates.ts";
import { TokenRates } from "./TokenRates.tsx";

/** A job's phases in their order: while it is in one, and short. */
const phases = [
  { phase: "loading", words: "Loading the model", short: "Load" },
  { phase: "reading", words: "Reading the question", short: "Read" },
  { phase: "writing", words: "Writing the answer", short: "Write" },
] as const satisfies readonly { readonly phase: WorkView["phase"]; readonly [words: string]: string }[];

type Props = { readonly work: WorkView | null; readonly donating: boolean };

/** The current job's progress. The prompt and the answer belong to a colleague, so they are not shown. */
export function Work({ work, donating }: Props): ReactNode {
  const rates = useRates(work);
  return (
    <Card
      title="Current job"
      aside={
        work === null ? null : (
          <Badge tone="good" dot busy>
            {phases.find(({ phase }) => phase === work.phase)?.words}
          </Badge>
        )
      }
    >
      {/* Keeps its height with and without a job, so that the rest of the window does not move. */}
      <div className="grid h-30 grid-cols-1 content-start gap-2">
        {work === null ? (
          <p className="grid h-30 place-items-center rounded-md bg-sunken px-4 text-center text-muted">
            {donating ? "Waiting for your organization's next job." : "No job now."}
          </p>
        ) : (
          <Running work={work} rates={rates} />
        )}
      </div>
    </Card>
  );
}

/** Tokens per second of the last minute. They are looked at once a second. */
function useRates(work: WorkView | null): readonly number[] {
  const now = useNow();
  const latest = useRef(work);
  // A window that opens during a job shows at once how fast it has been so far.
  const [samples, setSamples] = useState<readonly Sample[]>(() =>
    work === null ? [] : [{ at: work.startedAt, attemptId: work.attemptId, tokens: 0 }],
  );
  useEffect(() => {
    latest.current = work;
  }, [work]);
  useEffect(() => {
    setSamples((before) => withSample(before, sampleOf(latest.current, now)));
  }, [now]);
  return ratesOf(samples);
}

type RunningProps = { readonly work: WorkView; readonly rates: readonly number[] };

function Running({ work, rates }: RunningProps): ReactNode {
  const now = useNow();
  const reached = phases.findIndex(({ phase }) => phase === work.phase);
  return (
    <>
      <p className="flex justify-between gap-3 text-xs text-muted">
        <span className="flex min-w-0 gap-2">
          <span className="truncate">{work.modelId}</span>
          <span className="shrink-0">{kindWords(work.kind)}</span>
        </span>
        <span className="whitespace-nowrap">
          {formatDuration(Math.max(0, Math.floor((now - work.startedAt) / 1_000) * 1_000))}
        </span>
      </p>
      <ol className="grid grid-cols-3 gap-2" aria-label="Progress">
        {phases.map(({ phase, short }, index) => (
          <li
            key={phase}
            aria-current={index === reached ? "step" : undefined}
            className="grid gap-1 text-xs"
          >
            <span
              aria-hidden
              className={cx(
                "h-1.5 rounded-full",
                index <= reached ? "bg-accent" : "bg-line",
                index === reached && "animate-breathe",
              )}
            />
            <span className={index <= reached ? "text-ink" : "text-muted"}>{short}</span>
          </li>
        ))}
      </ol>
      <TokenRates rates={rates} />
      <p data-testid="work-progress" data-chars={work.writtenChars} className="truncate text-xs text-muted">
        {work.writtenChars === 0
          ? "The question and the answer stay private."
          : `${formatCount(work.writtenChars)} characters written. The answer stays private.`}
      </p>
    </>
  );
}
