import { BatchDetails } from "../console/batches/BatchDetails.tsx";
import { BatchesView } from "../console/batches/BatchesView.tsx";
import { CancelBatch } from "../console/batches/CancelBatch.tsx";
import { batchRows, failedBatch, runningBatch, waitingBatch } from "./fixtures/batch-rows.ts";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;

/** The list of batches, and the page of one. */
export function batchStories(now: number): readonly Story[] {
  const server = { apiBase: "https://gleaner.example.org", ownCertificate: false };
  const view = {
    status: null,
    onStatus: nothing,
    keyId: "",
    onKey: nothing,
    keys: [{ value: "k1", label: "Nightly summaries" }],
    server,
    model: "gleaner-demo",
    onMore: null,
    loadingMore: false,
  } as const;
  const page = { server, onCancel: nothing };
  return [
    inShell(
      "console-batches",
      "batches",
      <BatchesView {...view} batches={batchRows(now)} onMore={nothing} />,
    ),
    inShell("console-batches-none", "batches", <BatchesView {...view} batches={[]} />),
    inShell("console-batches-loading", "batches", <BatchesView {...view} batches={undefined} />),
    inShell(
      "console-batches-filtered-none",
      "batches",
      <BatchesView {...view} batches={[]} status="expired" />,
    ),
    inShell("console-batch", "batches", <BatchDetails {...page} batch={runningBatch(now)} />),
    inShell("console-batch-waiting", "batches", <BatchDetails {...page} batch={waitingBatch(now)} />),
    inShell("console-batch-failed", "batches", <BatchDetails {...page} batch={failedBatch(now)} />),
    inShell(
      "console-batch-cancel",
      "batches",
      <CancelBatch batch={runningBatch(now)} onConfirm={nothing} onClose={nothing} />,
    ),
    inShell("console-batch-loading", "batches", <BatchDetails {...page} batch={undefined} />),
  ];
}
