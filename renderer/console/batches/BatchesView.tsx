import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { FilterPills } from "../../ui/controls/FilterPills.tsx";
import type { Option } from "../../ui/controls/Select.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import type { BatchSummary } from "../data/rows.ts";
import { Choice } from "../jobs/JobFilters.tsx";
import type { ApiServer } from "../keys/snippets.ts";
import { SnippetTabs } from "../keys/SnippetTabs.tsx";
import { beginSnippets, exampleLine } from "./batch-snippets.ts";
import { type BatchFilter, batchFilters } from "./batch-words.ts";
import { BatchesTable } from "./BatchesTable.tsx";

type Props = {
  readonly batches: readonly BatchSummary[] | undefined;
  readonly status: BatchFilter;
  readonly onStatus: (status: BatchFilter) => void;
  readonly keyId: string;
  readonly onKey: (keyId: string) => void;
  /** The keys to choose from; null for those who do not see them. */
  readonly keys: readonly Option[] | null;
  readonly server: ApiServer;
  /** The model of the example. */
  readonly model: string;
  /** Null when all are loaded. */
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
  /** Where older ones are. */
  readonly archived?: ReactNode;
};

export function BatchesView(props: Props): ReactNode {
  const { batches, status, onStatus, keyId, onKey, keys, onMore, loadingMore } = props;
  return (
    <div className="grid gap-3">
      <div className="grid gap-2">
        <FilterPills label="Filter by status" options={batchFilters} value={status} onChange={onStatus} />
        {keys === null ? null : (
          <div className="flex max-w-xs">
            <Choice label="API key" all="All keys" filter={[keyId, onKey]} options={keys} />
          </div>
        )}
      </div>
      <Card flush>
        <BatchesTable batches={batches} empty={<NoBatches {...props} />} />
        <LoadMore onMore={onMore} loading={loadingMore} />
        {props.archived}
      </Card>
    </div>
  );
}

function NoBatches({ status, keyId, onStatus, onKey, server, model }: Props): ReactNode {
  if (status !== null || keyId !== "") {
    return (
      <Empty
        title="No batches match these filters"
        action={
          <Button
            onClick={() => {
              onStatus(null);
              onKey("");
            }}
          >
            Clear filters
          </Button>
        }
      />
    );
  }
  return (
    <>
      <Empty title="No batches yet">
        A batch is a file of requests that are answered within hours or days, while nobody uses the computers.
        Any OpenAI client can send one with an API key.
      </Empty>
      <div className="mx-auto grid max-w-3xl grid-cols-1 gap-3 px-4 pb-6">
        <p className="text-muted">Each line of the file, such as requests.jsonl, is a request:</p>
        <Copyable block text={exampleLine(model)} label="the example line" />
        <SnippetTabs label="How to begin" snippets={beginSnippets(server)} />
        <p className="text-xs text-muted">
          The programs read the API key from the variable GLEANER_KEY. Gleaner’s documentation has more about
          batches (docs/api.md).
        </p>
      </div>
    </>
  );
}
