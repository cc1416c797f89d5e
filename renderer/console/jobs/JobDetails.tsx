import { type ReactNode, useState } from "react";
import { jobErrorWords } from "../../../app/contract/job-errors.ts";
import { energyWords } from "../../../app/format/energy.ts";
import { kindWords } from "../../../app/format/job-kind.ts";
import { laneNeeds } from "../../../app/format/lane.ts";
import { formatDuration, formatMoment } from "../../../app/format/time.ts";
import { noRetryHelps } from "../../../app/jobs/mendable.ts";
import { formatCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Banner } from "../../ui/Banner.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { SelectBox } from "../../ui/controls/Select.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { energySourceWords } from "../../ui/usage/energy-source.ts";
import { priorityWords } from "../data/priority-words.ts";
import type { JobDetail, JobRow } from "../data/rows.ts";
import { sayServerSentence } from "../data/server-sentences.ts";
import { Fact, Facts } from "../shell/Facts.tsx";
import { hrefOf } from "../shell/route.ts";
import { SubPageHead } from "../shell/SubPageHead.tsx";
import { AttemptTimeline } from "./AttemptTimeline.tsx";
import { isOpen, isQueued, jobWords, spansOf, tokenWords, waitWords } from "./job-words.ts";
import { openPriceWords, priceNotes, priceWords } from "./price-words.ts";

const priorities = ["high", "normal", "low"] as const;
const priorityOptions = priorities.map((value) => ({ value, label: priorityWords[value] }));

export type JobChanges = {
  readonly prioritize: (job: JobRow, priority: JobRow["priority"]) => void;
  readonly cancel: (job: JobRow) => void;
  readonly retry: (job: JobRow) => void;
  readonly discard: (job: JobRow) => void;
};

type Props = {
  readonly job: JobDetail | undefined;
  /** Null for those who may change no jobs. */
  readonly changes: JobChanges | null;
  /** Saves the receipt of the job as a file. */
  readonly onReceipt: () => void;
  /** The tokens of the answer over time. */
  readonly tokens?: ReactNode;
  readonly payload: ReactNode;
  /** The requester's rating of the answer. */
  readonly rating?: ReactNode;
};

export function JobDetails({ job, changes, onReceipt, tokens, payload, rating }: Props): ReactNode {
  const now = useNow();
  const back = { href: hrefOf("jobs"), words: "All jobs" };
  if (job === undefined) {
    return (
      <div className="grid gap-4">
        <SubPageHead back={back} title={undefined} />
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <Card title="Timeline">
            <SkeletonRows rows={4} />
          </Card>
          <Card title="About this job">
            <SkeletonRows rows={8} />
          </Card>
        </div>
      </div>
    );
  }
  const { tone, words } = jobWords[job.status];
  const hopeless = job.status === "failed" ? noRetryHelps(job.error) : null;
  return (
    <div className="grid gap-4">
      <SubPageHead
        back={back}
        title={`${job.model} · ${kindWords(job.kind)}`}
        actions={changes === null ? null : <Actions job={job} changes={changes} />}
      >
        <Badge tone={tone} dot busy={job.status === "running"}>
          {words}
        </Badge>
      </SubPageHead>
      {job.wait === null ? null : (
        <div className="overflow-hidden rounded-lg">
          <Banner tone="hold">{waitWords(job.wait, now)}.</Banner>
        </div>
      )}
      {job.error === null ? null : (
        <div className="overflow-hidden rounded-lg">
          <Banner tone="bad">
            {jobErrorWords(job.error)} <span className="text-xs">({job.error.code})</span>
            {hopeless === null ? null : <> {hopeless}</>}
          </Banner>
        </div>
      )}
      {job.foundWrong === null ? null : <FoundWrong {...job.foundWrong} />}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title="Timeline">
          <AttemptTimeline job={job} />
        </Card>
        <Card title="About this job">
          <About job={job} changes={changes} onReceipt={onReceipt} />
        </Card>
      </div>
      {tokens}
      {payload}
      {rating}
    </div>
  );
}

function FoundWrong({
  correctedBy,
  notCorrected,
  postponedFor,
  postponed,
}: NonNullable<JobDetail["foundWrong"]>): ReactNode {
  const now = useNow();
  const next = postponed === undefined ? "" : formatMoment(postponed.nextAt, now);
  return (
    <div className="overflow-hidden rounded-lg">
      <Banner tone="bad">
        <span>Checks found this answer wrong.</span>
        {correctedBy === undefined ? null : (
          <a href={hrefOf("jobs", correctedBy)} className="ml-1 underline">
            Its price was given back, and its request is answered again.
          </a>
        )}
        {notCorrected === undefined ? null : (
          <span className="ml-1">Its request is not answered again: {sayServerSentence(notCorrected)}</span>
        )}
        {postponedFor === undefined ? null : (
          <span className="ml-1">Before that it was postponed: {sayServerSentence(postponedFor)}</span>
        )}
        {postponed === undefined ? null : (
          <span className="ml-1">
            Its request is not answered again yet: {sayServerSentence(postponed.why)} Next try: {next}.
          </span>
        )}
      </Banner>
    </div>
  );
}

function About({
  job,
  changes,
  onReceipt,
}: Pick<Props, "changes" | "onReceipt"> & { readonly job: JobDetail }): ReactNode {
  const { waitedMs, ranMs } = spansOf(job, useNow());
  const { usage } = job;
  const needs = laneNeeds(job);
  const cost = job.cost === null ? null : priceWords(job.cost, usage);
  return (
    <Facts>
      <Fact name="Job id">
        <span className="font-mono text-xs break-all select-all">{job.jobId}</span>
      </Fact>
      {job.externalId === null ? null : (
        <Fact name="External id">
          <span className="font-mono text-xs break-all select-all">{job.externalId}</span>
        </Fact>
      )}
      {job.batch === null ? null : (
        <Fact name="Batch">
          <a
            href={hrefOf("batches", job.batch.batchId)}
            className="wrap-anywhere text-accent hover:underline"
          >
            {job.batch.customId}, line {job.batch.line}
          </a>
        </Fact>
      )}
      {job.corrects === null ? null : (
        <Fact name="Corrects">
          <a
            href={hrefOf("jobs", job.corrects)}
            className="font-mono text-xs break-all text-accent hover:underline"
          >
            {job.corrects}
          </a>
        </Fact>
      )}
      <Fact name="Model">
        <span className="wrap-anywhere">
          {job.alias === null ? job.model : `${job.model}, requested as ${job.alias}`}
        </span>
      </Fact>
      <Fact name="API key">
        {job.keyId === null ? (
          job.keyName
        ) : (
          <a href={hrefOf("keys", job.keyId)} className="text-accent hover:underline">
            {job.keyName}
          </a>
        )}
      </Fact>
      <Fact name="Submitted">
        <RelativeTime at={job.submittedAt} />
      </Fact>
      <Fact name="Waited">{formatDuration(waitedMs)}</Fact>
      <Fact name="Ran">{ranMs === null ? "–" : formatDuration(ranMs)}</Fact>
      <Fact name="Priority">
        {changes !== null && isQueued(job.status) ? (
          <div className="max-w-36">
            <SelectBox
              aria-label="Priority"
              value={job.priority}
              options={priorityOptions}
              onChange={(value) => {
                const chosen = priorities.find((each) => each === value);
                if (chosen !== undefined) changes.prioritize(job, chosen);
              }}
            />
          </div>
        ) : (
          priorityWords[job.priority]
        )}
      </Fact>
      <Fact name="Needs">{needs.length === 0 ? "only the model" : needs.join(", ")}</Fact>
      <Fact name="Tokens">{usage === null ? "–" : tokenWords(usage)}</Fact>
      {job.energy === null ? null : (
        <Fact name="Energy">
          {energyWords(job.energy.microWh / 1e9)}, {energySourceWords[job.energy.source]}
        </Fact>
      )}
      {job.cost === null ? null : (
        <Fact name="Price">
          {job.priceMicro === null ? (
            isOpen(job.status) ? (
              openPriceWords(job.cost)
            ) : (
              "none"
            )
          ) : (
            <span title={`${formatExactCredits(job.priceMicro)} credits`}>
              {formatCredits(job.priceMicro)}
            </span>
          )}
          {job.ownJob || cost === null ? null : <p className="text-xs text-muted">{cost}</p>}
          {priceNotes({ ...job, cost: job.cost }).map((note) => (
            <p key={note} className="text-xs text-muted">
              {note}
            </p>
          ))}
        </Fact>
      )}
      {job.receipt ? (
        <Fact name="Receipt">
          <Button size="sm" onClick={onReceipt}>
            Download
          </Button>
        </Fact>
      ) : null}
    </Facts>
  );
}

function Actions({ job, changes }: { readonly job: JobDetail; readonly changes: JobChanges }): ReactNode {
  const [asked, setAsked] = useState<"cancel" | "discard" | null>(null);
  const isDead = job.status === "failed" || job.status === "expired";
  return (
    <div className="flex flex-wrap gap-2">
      {isOpen(job.status) ? <Button onClick={() => setAsked("cancel")}>Cancel job…</Button> : null}
      {isDead && noRetryHelps(job.error) === null ? (
        <Button onClick={() => changes.retry(job)}>Retry</Button>
      ) : null}
      {isDead ? <Button onClick={() => setAsked("discard")}>Discard…</Button> : null}
      {asked === "cancel" ? (
        <Confirm
          title="Cancel this job?"
          action="Cancel job"
          cancel="Keep job"
          danger
          onConfirm={() => changes.cancel(job)}
          onClose={() => setAsked(null)}
        >
          After eight seconds the requester gets an error and the credits back, and the device stops working
          on it. Until then you can undo this.
        </Confirm>
      ) : null}
      {asked === "discard" ? (
        <Confirm
          title="Discard this job?"
          action="Discard"
          danger
          onConfirm={() => changes.discard(job)}
          onClose={() => setAsked(null)}
        >
          After eight seconds the request is deleted, so it can't be retried. Until then you can undo this.
          The failure stays in the history.
        </Confirm>
      ) : null}
    </div>
  );
}
