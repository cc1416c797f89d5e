import { usePaginatedQuery, useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { saveFile } from "../../ui/save-file.ts";
import type { RetentionRow } from "../data/rows.ts";
import { useAct, useLongAct, useScope, useSession } from "../data/session-context.ts";
import { fileName } from "./archive-words.ts";
import { ArchivesView } from "./ArchivesView.tsx";
import { RetentionCard, RetentionDialog } from "./RetentionCard.tsx";

const pageSize = 50;

/** The archives of old rows, and how long rows are kept before. */
export function ArchivesPage(): ReactNode {
  const session = useSession();
  const [now] = useState(Date.now);
  const mayChange = useScope("archives.change") !== null;
  const retention = useQuery(api.console.retention.archives.retention, { session, now });
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.retention.archives.list,
    { session },
    { initialNumItems: pageSize },
  );
  const run = useAct(api.console.retention.archives.run);
  const change = useAct(api.console.retention.archives.setRetention);
  const download = useLongAct(api.console.retention.archives.download);
  const [edited, setEdited] = useState<RetentionRow | null>(null);
  return (
    <div className="grid gap-4">
      <ArchivesView
        archives={status === "LoadingFirstPage" ? undefined : results}
        onDownload={(archive) =>
          void download({ archiveId: archive.archiveId }, (text) => {
            saveFile(fileName(archive), text);
            return undefined;
          })
        }
        onRun={mayChange ? () => void run({}, "Old rows move now. New archives appear here.") : null}
        onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
        loadingMore={status === "LoadingMore"}
      />
      <RetentionCard retention={retention} onEdit={mayChange ? setEdited : null} />
      {edited === null ? null : (
        <RetentionDialog
          kept={edited}
          onSave={async (days, reason) =>
            await change({ kind: edited.kind, days, reason }, "The time was changed.")
          }
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  );
}
