import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { useFilter } from "../shell/route.ts";
import { DisputesView } from "./DisputesView.tsx";
import { disputeFilterOf } from "./rating-words.ts";

const pageSize = 25;

/** The answers that requesters dispute, and those that were decided. The choice is in the address. */
export function DisputesPage(): ReactNode {
  const session = useSession();
  const [named, setState] = useFilter("state");
  const state = disputeFilterOf(named);
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.work.ratings.disputes,
    { session, state },
    { initialNumItems: pageSize },
  );
  const settle = useAct(api.console.work.ratings.settle);
  const reject = useAct(api.console.work.ratings.reject);
  const reopen = useAct(api.console.work.ratings.reopen);
  const mayDecide = useScope("disputes.decide") !== null;
  const open = (jobId: string): void => void reopen({ jobId }, "The dispute is open again.");
  return (
    <DisputesView
      disputes={status === "LoadingFirstPage" ? undefined : results}
      state={state}
      onState={setState}
      decisions={
        mayDecide
          ? {
              onSettle: async ({ jobId }, { reason, refund }) =>
                await settle({ jobId, reason, refund }, () =>
                  refund
                    ? { words: "The answer counts as wrong, and the API key has its credits back." }
                    : { words: "The answer counts as wrong.", undo: () => open(jobId) },
                ),
              onReject: async ({ jobId }, reason) =>
                await reject({ jobId, reason }, () => ({
                  words: "The answer counts as right.",
                  undo: () => open(jobId),
                })),
              onReopen: ({ jobId }) => open(jobId),
            }
          : null
      }
      onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
      loadingMore={status === "LoadingMore"}
    />
  );
}
