import type { ReactNode } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { formatMoment } from "../../../app/format/time.ts";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { type Column, Table } from "../../ui/Table.tsx";
import type { BatchDetail } from "../data/rows.ts";
import { sayServerSentence } from "../data/server-sentences.ts";
import { hrefOf } from "../shell/route.ts";

type WrongLine = BatchDetail["wrongLines"][number];

function JobLink({ jobId, children }: { readonly jobId: string; readonly children: ReactNode }): ReactNode {
  return (
    <a href={hrefOf("jobs", jobId)} className="text-accent hover:underline">
      {children}
    </a>
  );
}

const columnsOf = (endpoint: string): readonly Column<WrongLine>[] => [
  {
    key: "request",
    title: "Request",
    cell: ({ customId, jobId, index }) => (
      <>
        <JobLink jobId={jobId}>
          <span className="wrap-anywhere">{customId}</span>
        </JobLink>
        {index === undefined ? null : <Part endpoint={endpoint} index={index} />}
      </>
    ),
  },
  { key: "then", title: "Then", cell: (row) => <Then row={row} /> },
];

/** The part of an answer that one of several jobs made. Counts from 0, as `index` in the answer does. */
function Part({ endpoint, index }: { readonly endpoint: string; readonly index: number }): ReactNode {
  if (endpoint === "/v1/embeddings") return <p className="text-muted">Vectors from {index} on</p>;
  return <p className="text-muted">Choice {index}</p>;
}

/** The new answer's job, or the reason why there is none, or none yet. */
function Then({
  row: { correctedBy, notCorrected, postponedFor, postponed },
}: {
  readonly row: WrongLine;
}): ReactNode {
  const now = useNow();
  if (correctedBy !== undefined) return <JobLink jobId={correctedBy}>Answered again by this job</JobLink>;
  if (notCorrected !== undefined)
    return (
      <>
        {sayServerSentence(notCorrected)}
        {postponedFor === undefined ? null : (
          <p className="text-muted">Before that it was postponed: {sayServerSentence(postponedFor)}</p>
        )}
      </>
    );
  if (postponed === undefined) return "It will be answered again.";
  const next = formatMoment(postponed.nextAt, now);
  return (
    <>
      {sayServerSentence(postponed.why)} Next try: {next}.
    </>
  );
}

function wrongWords(count: number): string {
  return plural(count, [
    "Checks found # answer wrong. It stays in the file of the batch. If no reason is given here, another job answers its request again.",
    "Checks found # answers wrong. They stay in the file of the batch. If no reason is given here, another job answers the request again.",
  ]);
}

/** The requests of a batch whose answers checks found wrong, with the jobs that answer them again. */
export function WrongLines({ batch }: { readonly batch: BatchDetail }): ReactNode {
  const { endpoint, wrongLines, wrongCount } = batch;
  if (wrongCount === 0) return null;
  return (
    <Card flush title="Wrong answers">
      <p className="border-b border-line px-4 py-2 text-muted">{wrongWords(wrongCount)}</p>
      <Table
        label="Wrong answers"
        columns={columnsOf(endpoint)}
        rows={wrongLines}
        keyOf={({ jobId }) => jobId}
      />
      {wrongLines.length === wrongCount ? null : (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          Only the first {wrongLines.length} are named.
        </p>
      )}
    </Card>
  );
}
