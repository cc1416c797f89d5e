import { JobDetails } from "../console/jobs/JobDetails.tsx";
import { DisputesView, SettleDialog } from "../console/ratings/DisputesView.tsx";
import { RatingCard } from "../console/ratings/RatingCard.tsx";
import { jobDetail } from "./fixtures/job-rows.ts";
import * as rows from "./fixtures/rating-rows.ts";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const refused = (): Promise<boolean> => Promise.resolve(false);

/** Ratings of requesters, and decisions of administrators. */
export function ratingStories(now: number): readonly Story[] {
  const disputes = rows.disputes(now);
  const view = {
    disputes,
    state: "open",
    onState: nothing,
    decisions: { onSettle: refused, onReject: refused, onReopen: nothing },
    onMore: null,
    loadingMore: false,
  } satisfies Parameters<typeof DisputesView>[0];
  const card = { onRate: refused, onRemove: nothing };
  const open = { state: "open", decidedAt: null, decision: null, refundMicro: null } as const;
  const disputed = rows.rating(now, {
    rating: "bad",
    reason: "wrong",
    comment: "It says that the meeting is on Tuesday, but the letter says Thursday.",
    dispute: open,
  });
  const settled = {
    ...open,
    state: "settled",
    decidedAt: now,
    decision: "Thursday it is.",
    refundMicro: 142_000n,
  } as const;
  const job = (rating: Parameters<typeof RatingCard>[0]["rating"]) => (
    <JobDetails
      job={jobDetail(now)}
      changes={null}
      onReceipt={nothing}
      payload={null}
      rating={<RatingCard {...card} rating={rating} />}
    />
  );
  return [
    inShell("console-job-unrated", "jobs", job(null)),
    inShell("console-job-rated", "jobs", job(rows.rating(now))),
    inShell("console-job-disputed", "jobs", job(disputed)),
    inShell("console-job-settled", "jobs", job({ ...disputed, dispute: settled })),
    inShell("console-disputes", "disputes", <DisputesView {...view} />),
    inShell(
      "console-disputes-settled",
      "disputes",
      <DisputesView {...view} state="settled" disputes={rows.decided(now)} />,
    ),
    inShell("console-disputes-none", "disputes", <DisputesView {...view} disputes={[]} />),
    inShell("console-disputes-loading", "disputes", <DisputesView {...view} disputes={undefined} />),
    ...disputes
      .slice(0, 1)
      .map((dispute) =>
        inShell(
          "console-disputes-settle",
          "disputes",
          <SettleDialog dispute={dispute} onSettle={refused} onClose={nothing} />,
        ),
      ),
  ];
}
