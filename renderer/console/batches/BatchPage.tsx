import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import type { ApiServer } from "../keys/snippets.ts";
import { BatchDetails } from "./BatchDetails.tsx";

type Props = { readonly batchId: string; readonly server: ApiServer };

/** The page of one batch. */
export function BatchPage({ batchId, server }: Props): ReactNode {
  const batch = useQuery(api.console.work.batches.get, { session: useSession(), batchId });
  const cancel = useAct(api.console.work.batches.cancel);
  const mayCancel = useScope("jobs.change") !== null;
  return (
    <BatchDetails
      batch={batch}
      server={server}
      onCancel={
        mayCancel && batch !== undefined
          ? () => void cancel({ batchId: batch.batchId }, "The batch is being canceled.")
          : null
      }
    />
  );
}
