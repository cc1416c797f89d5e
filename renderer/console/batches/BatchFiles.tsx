import type { ReactNode } from "react";
import { formatBytes } from "../../../app/format/quantity.ts";
import { Card } from "../../ui/Card.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { BatchDetail } from "../data/rows.ts";
import type { ApiServer } from "../keys/snippets.ts";
import { SnippetTabs } from "../keys/SnippetTabs.tsx";
import { Fact, Facts } from "../shell/Facts.tsx";
import { fetchSnippets } from "./batch-snippets.ts";

type Props = { readonly batch: BatchDetail; readonly server: ApiServer };

/** The files that a batch writes. The console shows no content: it is the key's. */
export function BatchFiles({ batch, server }: Props): ReactNode {
  const { output, error, endedAt, status } = batch;
  const files = [
    ...(output === null ? [] : [{ ...output, name: "answers", title: "Answers" }]),
    ...(error === null ? [] : [{ ...error, name: "errors", title: "Errors" }]),
  ];
  if (files.length === 0 && status === "failed") return null;
  return (
    <Card title="Answers and errors">
      {files.length === 0 ? (
        <p className="text-muted">
          {endedAt === null
            ? "As soon as a request has ended, its answer or its error can be fetched."
            : "There are no files of this batch, or not anymore."}
        </p>
      ) : (
        <div className="grid grid-cols-1 gap-3">
          <Facts>
            {files.map(({ fileId, bytes, expiresAt, title }) => (
              <Fact key={fileId} name={title}>
                <span className="font-mono text-xs break-all select-all">{fileId}</span>
                <p className="text-xs text-muted">
                  {formatBytes(bytes)}, deleted <RelativeTime at={expiresAt} />
                </p>
              </Fact>
            ))}
          </Facts>
          <p className="text-muted">
            Prompts and answers belong to the API key, so the console does not show them. A program with the
            key fetches them, also while the batch runs:
          </p>
          <SnippetTabs label="Fetch the files" snippets={fetchSnippets(server, files)} />
        </div>
      )}
    </Card>
  );
}
