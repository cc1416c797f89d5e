import { type ReactNode, useState } from "react";
import { expectedPrice } from "../../../app/batches/expected-price.ts";
import { batchLimits } from "../../../app/batches/limits.ts";
import { shownId } from "../../../app/batches/openai-objects.ts";
import { laneNeeds } from "../../../app/format/lane.ts";
import { formatCount, formatShare } from "../../../app/format/quantity.ts";
import { formatCredits, formatExactCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Banner } from "../../ui/Banner.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { Stat } from "../../ui/Stat.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { BatchDetail } from "../data/rows.ts";
import { sayServerSentence } from "../data/server-sentences.ts";
import { tokenWords } from "../jobs/job-words.ts";
import type { ApiServer } from "../keys/snippets.ts";
import { Fact, Facts } from "../shell/Facts.tsx";
import { hrefOf } from "../shell/route.ts";
import { SubPageHead } from "../shell/SubPageHead.tsx";
import {
  batchWaitWords,
  endedOf,
  endWords,
  forecastWords,
  isCancelable,
  nameOf,
  progressWords,
  stateOf,
  windowWords,
} from "./batch-words.ts";
import { BatchFiles } from "./BatchFiles.tsx";
import { CancelBatch } from "./CancelBatch.tsx";
import { WrongLines } from "./WrongLines.tsx";

type Props = {
  /** Undefined while it loads. */
  readonly batch: BatchDetail | undefined;
  readonly server: ApiServer;
  /** Null for those who may not cancel it. */
  readonly onCancel: (() => void) | null;
};

export function BatchDetails({ batch, server, onCancel }: Props): ReactNode {
  const now = useNow();
  const back = { href: hrefOf("batches"), words: "All batches" };
  if (batch === undefined) {
    return (
      <div className="grid gap-4">
        <SubPageHead back={back} title={undefined} />
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <Card title="Progress">
            <SkeletonRows rows={4} />
          </Card>
          <Card title="About this batch">
            <SkeletonRows rows={8} />
          </Card>
        </div>
      </div>
    );
  }
  const { tone, words } = stateOf(batch);
  const ended = endWords(batch);
  return (
    <div className="grid gap-4">
      <SubPageHead
        back={back}
        title={nameOf(batch)}
        actions={
          onCancel === null || !isCancelable(batch) ? null : <Cancel batch={batch} onCancel={onCancel} />
        }
      >
        <Badge tone={tone} dot busy={batch.status === "in_progress" && batch.wait === null}>
          {words}
        </Badge>
      </SubPageHead>
      {batch.wait === null ? null : <Note tone="hold">{batchWaitWords(batch.wait, now)}.</Note>}
      {ended === null ? null : <Note tone={tone === "bad" ? "bad" : "quiet"}>{ended}</Note>}
      <Mistakes batch={batch} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title="Progress" aside={<Share batch={batch} />}>
          <Progress batch={batch} />
        </Card>
        <Card title="About this batch">
          <About batch={batch} />
        </Card>
      </div>
      <BatchFiles batch={batch} server={server} />
      <WrongLines batch={batch} />
    </div>
  );
}

function Note({
  tone,
  children,
}: {
  readonly tone: "hold" | "bad" | "quiet";
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="overflow-hidden rounded-lg">
      <Banner tone={tone}>{children}</Banner>
    </div>
  );
}

type OfBatch = { readonly batch: BatchDetail };

function Share({ batch }: OfBatch): ReactNode {
  return batch.total === 0 ? null : (
    <span className="text-muted">{formatShare(endedOf(batch) / batch.total)}</span>
  );
}

function Progress({ batch }: OfBatch): ReactNode {
  const { total, completed, failed, priceMicro } = batch;
  const expected = priceMicro === null ? null : expectedPrice({ ...batch, priceMicro });
  return (
    <div className="grid gap-3">
      <p className="text-lg font-semibold">
        <Ended batch={batch} />
      </p>
      <ProgressBar label="Progress" share={total === 0 ? 0 : endedOf(batch) / total} />
      <Forecast batch={batch} />
      <p className="text-muted">
        <End batch={batch} />
      </p>
      {expected === null ? null : (
        <p className="text-muted">{`It will probably cost ${formatCredits(expected)} in all.`}</p>
      )}
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Stat label="Answers" value={formatCount(completed)} />
        <Stat label="Failed" value={formatCount(failed)} />
        <Stat label="Still to do" value={formatCount(total - endedOf(batch))} />
        {priceMicro === null ? null : (
          <Stat
            label="Cost"
            value={
              <span title={`${formatExactCredits(priceMicro)} credits`}>{formatCredits(priceMicro)}</span>
            }
          />
        )}
      </dl>
    </div>
  );
}

function Ended({ batch }: OfBatch): ReactNode {
  if (batch.status === "validating") return "The file is being checked";
  if (batch.total === 0) return "No request was sent";
  return `${progressWords(batch)} requests have ended`;
}

/** The sentence about its expected end. */
function Forecast({ batch }: OfBatch): ReactNode {
  const words = forecastWords(batch.forecast, useNow());
  return words.length === 0 ? null : <p>{words.join(" ")}</p>;
}

/** The time of its end, or of its deadline. */
function End({ batch: { endedAt, expiresAt } }: OfBatch): ReactNode {
  if (endedAt !== null) {
    return (
      <>
        Ended <RelativeTime at={endedAt} />
      </>
    );
  }
  return (
    <>
      Requests without an answer expire <RelativeTime at={expiresAt} />.
    </>
  );
}

function About({ batch }: OfBatch): ReactNode {
  const { batchId, fileName, keyId, keyName, endpoint, window, usage, hasJobs } = batch;
  const needs = laneNeeds(batch);
  const times = [
    { name: "Created", at: batch.createdAt },
    { name: "Started", at: batch.startedAt },
    { name: "Canceled", at: batch.cancelingAt },
    { name: "Ended", at: batch.endedAt },
  ];
  return (
    <Facts>
      <Fact name="Batch id">
        <span className="font-mono text-xs break-all select-all">{shownId("batch", batchId)}</span>
      </Fact>
      <Fact name="File">
        <span className="wrap-anywhere">{fileName ?? "deleted"}</span>
      </Fact>
      <Fact name="API key">
        {keyId === null ? (
          keyName
        ) : (
          <a href={hrefOf("keys", keyId)} className="text-accent hover:underline">
            {keyName}
          </a>
        )}
      </Fact>
      <Fact name="Endpoint">
        <span className="font-mono text-xs break-all">{endpoint}</span>
      </Fact>
      <Fact name="Window">{`Within ${windowWords(window)}`}</Fact>
      {times.map(({ name, at }) =>
        at === null ? null : (
          <Fact key={name} name={name}>
            <RelativeTime at={at} />
          </Fact>
        ),
      )}
      <Fact name="Needs">{needs.length === 0 ? "only the model" : needs.join(", ")}</Fact>
      <Fact name="Tokens">{tokenWords(usage)}</Fact>
      {hasJobs ? (
        <Fact name="Jobs">
          <a href={hrefOf("jobs", undefined, { batch: batchId })} className="text-accent hover:underline">
            Show its jobs
          </a>
        </Fact>
      ) : null}
    </Facts>
  );
}

type Mistake = BatchDetail["mistakes"][number];

const mistakeColumns: readonly Column<Mistake>[] = [
  {
    key: "line",
    title: "Place",
    width: "w-28",
    cell: ({ line }) => (line === 0 ? "Whole file" : `Line ${formatCount(line)}`),
  },
  {
    key: "message",
    title: "Mistake",
    cell: ({ message }) => <span className="wrap-anywhere">{sayServerSentence(message)}</span>,
  },
  {
    key: "code",
    title: "Code",
    width: "w-56",
    cell: ({ code }) => <span className="font-mono text-xs">{code}</span>,
  },
];

function Mistakes({ batch: { mistakes } }: OfBatch): ReactNode {
  if (mistakes.length === 0) return null;
  return (
    <Card flush title="Why it did not start">
      <Table
        label="Why it did not start"
        columns={mistakeColumns}
        rows={mistakes}
        keyOf={({ line, code }) => `${String(line)} ${code}`}
      />
      {mistakes.length < batchLimits.namedMistakes ? null : (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          Only the first {batchLimits.namedMistakes} mistakes are named. The file may have more.
        </p>
      )}
    </Card>
  );
}

function Cancel({ batch, onCancel }: OfBatch & { readonly onCancel: () => void }): ReactNode {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button onClick={() => setAsked(true)}>Cancel batch…</Button>
      {asked ? <CancelBatch batch={batch} onConfirm={onCancel} onClose={() => setAsked(false)} /> : null}
    </>
  );
}
