import { useConvex, useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { messageOf } from "../data/refusal.ts";
import type { GivenRating, JobDetail, PayloadLook, RatedOutcome } from "../data/rows.ts";
import { useAct, useMemberMutation, useScope, useSession } from "../data/session-context.ts";
import { givenOf, ratedNotice } from "../ratings/rating-words.ts";
import { RatingCard } from "../ratings/RatingCard.tsx";
import { JobDetails } from "./JobDetails.tsx";
import { JobPayload } from "./JobPayload.tsx";
import { TokenChart } from "./TokenChart.tsx";
import { useJobChanges } from "./use-job-changes.ts";

/** The page of one job. */
export function JobPage({ jobId }: { readonly jobId: string }): ReactNode {
  const session = useSession();
  const job = useQuery(api.console.jobs.get, { session, jobId });
  const stream = useQuery(api.console.jobs.curve, { session, jobId }) ?? null;
  const changes = useJobChanges();
  const convex = useConvex();
  const toast = useToast();
  return (
    <JobDetails
      job={job}
      changes={changes}
      onReceipt={() =>
        void convex.query(api.console.jobs.receipt, { session, jobId }).then(
          (receipt) => saveFile(`receipt-${jobId}.json`, `${receipt}\n`),
          (error: unknown) => toast(messageOf(error), "bad"),
        )
      }
      tokens={job === undefined ? null : <TokenChart job={job} stream={stream} />}
      rating={job === undefined ? null : <Rating job={job} />}
      payload={job === undefined ? null : <Payload jobId={jobId} isAllowed={job.payload === "allowed"} />}
    />
  );
}

function Rating({ job: { jobId, rating: before, mayRate } }: { readonly job: JobDetail }): ReactNode {
  const rate = useAct(api.console.work.ratings.rate);
  const remove = useAct(api.console.work.ratings.remove);
  const restore = (): void => {
    if (before === null) void remove({ jobId }, "Your rating was removed.");
    else void rate({ jobId, given: givenOf(before) }, "Your rating is as it was.");
  };
  const done = (given: GivenRating | null) => (outcome: RatedOutcome) => ({
    ...ratedNotice(outcome, given),
    ...(outcome.kind === "done" ? { undo: restore } : {}),
  });
  return (
    <RatingCard
      rating={before}
      onRate={mayRate ? async (given) => await rate({ jobId, given }, done(given)) : null}
      onRemove={() => void remove({ jobId }, done(null))}
    />
  );
}

type PayloadProps = { readonly jobId: string; readonly isAllowed: boolean };

function Payload({ jobId, isAllowed }: PayloadProps): ReactNode {
  const session = useSession();
  const mayDecide = useScope("payloads.change") !== null;
  const access = useQuery(api.console.payloads.access, mayDecide ? { session } : "skip");
  const setAccess = useAct(api.console.payloads.setAccess);
  const look = useMemberMutation(api.console.payloads.look);
  const toast = useToast();
  const [seen, setSeen] = useState<PayloadLook | null>(null);
  const allow = (ownersMayLook: boolean): void =>
    void setAccess({ ownersMayLook }, () => ({
      words: ownersMayLook ? "Owners may look at all jobs." : "Only a job's requester may look at it.",
      undo: () => void setAccess({ ownersMayLook: !ownersMayLook }, "The change was undone."),
    }));
  return (
    <JobPayload
      isAllowed={isAllowed}
      seen={isAllowed ? seen : null}
      onLook={() =>
        void look({ session, jobId }).then(setSeen, (error: unknown) => toast(messageOf(error), "bad"))
      }
      onHide={() => setSeen(null)}
      ownersMayLook={access?.ownersMayLook ?? null}
      onAccess={allow}
    />
  );
}
