import { type ReactNode, useEffect, useRef } from "react";
import type { WorkView } from "../../../app/contract/snapshot.ts";
import { formatDuration } from "../../../app/format/time.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";

const phases = {
  loading: "Loading the model",
  reading: "Reading the prompt",
  writing: "Writing the answer",
} as const;

type Props = { readonly work: WorkView | null; readonly donating: boolean };

export function Work({ work, donating }: Props): ReactNode {
  return (
    <Card
      title="Current job"
      aside={
        work === null ? null : (
          <Badge tone="good" dot busy>
            {phases[work.phase]}
          </Badge>
        )
      }
    >
      {/* Keeps its height with and without a job, so that the rest of the window does not move. */}
      <div className="grid h-29 content-start gap-2">
        {work === null ? (
          <p className="grid h-29 place-items-center rounded-md bg-sunken px-4 text-center text-muted">
            {donating ? "Waiting for your organization's next job." : "No jobs while Gleaner is on standby."}
          </p>
        ) : (
          <Running work={work} />
        )}
      </div>
    </Card>
  );
}

function Running({ work }: { readonly work: WorkView }): ReactNode {
  const now = useNow();
  const tail = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tail.current !== null) tail.current.scrollTop = tail.current.scrollHeight;
  }, [work.text]);
  return (
    <>
      <p className="flex justify-between gap-3 text-xs text-muted">
        <span className="truncate">{work.modelId}</span>
        <span className="whitespace-nowrap">
          {formatDuration(Math.max(0, Math.floor((now - work.startedAt) / 1_000) * 1_000))}
        </span>
      </p>
      <div
        ref={tail}
        data-testid="work-text"
        tabIndex={0}
        role="log"
        aria-label="Answer so far"
        aria-live="off"
        className="h-22 overflow-y-auto rounded-md bg-sunken px-3 py-2 break-words whitespace-pre-wrap"
      >
        {work.text}
        <span
          aria-hidden
          className="ml-0.5 inline-block h-3.5 w-1.5 translate-y-0.5 animate-breathe bg-accent"
        />
      </div>
    </>
  );
}
