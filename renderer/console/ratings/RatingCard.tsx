import { Flag, ThumbsDown, ThumbsUp } from "lucide-react";
import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { type RatingReason, ratingReasons } from "../../../app/jobs/rating.ts";
import { spellCredits } from "../../../app/money/credits.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import { cx } from "../../ui/cx.ts";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { GivenRating, RatingView } from "../data/rows.ts";
import { disputeWords, givenOf, reasonWords } from "./rating-words.ts";

type Props = {
  readonly rating: RatingView | null;
  /** Null for those who may not rate the answer. Resolves to whether it was rated. */
  readonly onRate: ((given: GivenRating) => Promise<boolean>) | null;
  readonly onRemove: () => void;
};

/** The requester's rating of the answer. It shows nothing if there is none and the member may not give one. */
export function RatingCard({ rating, onRate, onRemove }: Props): ReactNode {
  const [open, setOpen] = useState(false);
  const isDecided = rating !== null && rating.dispute !== null && rating.dispute.state !== "open";
  if (rating === null && onRate === null) return null;
  const change = isDecided ? null : onRate;
  return (
    <Card title="Rating of the answer">
      {change === null ? null : (
        <Buttons rating={rating} onRate={change} onMore={() => setOpen(true)} onRemove={onRemove} />
      )}
      {rating === null ? (
        <p className="mt-2 text-xs text-muted">
          Ratings count for the device that answered. Its donor sees their number, but neither who rated nor a
          comment.
        </p>
      ) : (
        <Said rating={rating} />
      )}
      {open && rating !== null && change !== null ? (
        <MoreDialog rating={rating} onRate={change} onClose={() => setOpen(false)} />
      ) : null}
    </Card>
  );
}

type ButtonsProps = {
  readonly rating: RatingView | null;
  readonly onRate: (given: GivenRating) => Promise<boolean>;
  readonly onMore: () => void;
  readonly onRemove: () => void;
};

function Buttons({ rating, onRate, onMore, onRemove }: ButtonsProps): ReactNode {
  const bad = { rating: "bad", reason: rating?.reason ?? null, comment: rating?.comment ?? null } as const;
  const isDisputed = rating !== null && rating.dispute !== null;
  // The dialog begins with the rating shown here. Until the server has answered, that is the previous one.
  const [busy, setBusy] = useState(false);
  const rate = (given: GivenRating): void => {
    setBusy(true);
    void onRate(given).finally(() => setBusy(false));
  };
  return (
    <div className="flex flex-wrap gap-2">
      <Choice
        isChosen={rating?.rating === "good"}
        onClick={() => rate({ rating: "good", reason: null, comment: null, dispute: false })}
      >
        <ThumbsUp aria-hidden size={14} /> Good
      </Choice>
      <Choice
        isChosen={rating?.rating === "bad" && !isDisputed}
        onClick={() => rate({ ...bad, dispute: false })}
      >
        <ThumbsDown aria-hidden size={14} /> Bad
      </Choice>
      <Choice
        isChosen={isDisputed}
        onClick={() => rate({ ...bad, reason: bad.reason ?? "wrong", dispute: true })}
      >
        <Flag aria-hidden size={14} /> Wrong: dispute it
      </Choice>
      {rating === null ? null : (
        <>
          <Button look="quiet" disabled={busy} onClick={onMore}>
            Say more…
          </Button>
          <Button look="quiet" disabled={busy} onClick={onRemove}>
            Remove
          </Button>
        </>
      )}
    </div>
  );
}

type ChoiceProps = { readonly isChosen: boolean; readonly onClick: () => void; readonly children: ReactNode };

function Choice({ isChosen, onClick, children }: ChoiceProps): ReactNode {
  return (
    <Button
      aria-pressed={isChosen}
      onClick={isChosen ? undefined : onClick}
      className={cx(isChosen && "border-transparent! bg-accent-tint! text-accent!")}
    >
      {children}
    </Button>
  );
}

function Said({ rating: { rating, reason, comment, dispute } }: { readonly rating: RatingView }): ReactNode {
  return (
    <div className="mt-2 grid gap-1">
      <p className="flex flex-wrap items-center gap-2">
        {rating === "good" ? "Rated as good." : "Rated as bad."}
        {reason === null ? null : <span className="text-muted">{reasonWords[reason]}</span>}
        {dispute === null ? null : (
          <Badge tone={disputeWords[dispute.state].tone}>{disputeWords[dispute.state].words}</Badge>
        )}
      </p>
      {comment === null ? null : <p className="wrap-anywhere text-muted">“{comment}”</p>}
      {dispute === null ? null : dispute.decision === null ? (
        <p className="text-xs text-muted">An administrator decides whether the answer is wrong.</p>
      ) : (
        <p className="text-xs text-muted">
          <span className="wrap-anywhere">The administrator: “{dispute.decision}”</span>
          {dispute.refundMicro === null ? null : (
            <span className="block">{`The API key got ${spellCredits(dispute.refundMicro)} back.`}</span>
          )}
        </p>
      )}
    </div>
  );
}

const noReason = "";
type MoreProps = {
  readonly rating: RatingView;
  readonly onRate: (given: GivenRating) => Promise<boolean>;
  readonly onClose: () => void;
};

function MoreDialog({ rating: before, onRate, onClose }: MoreProps): ReactNode {
  const [given, setGiven] = useState<GivenRating>(givenOf(before));
  const change = (part: Partial<GivenRating>): void => setGiven({ ...given, ...part });
  const reasons = [
    { value: noReason, label: "No reason" },
    ...ratingReasons.map((value) => ({ value, label: reasonWords[value] })),
  ];
  const reasonOf = (value: string): RatingReason | null =>
    ratingReasons.find((reason) => reason === value) ?? null;
  return (
    <Dialog title="Say more about the answer" onClose={onClose}>
      <DialogForm
        action="Save"
        onSubmit={async () => {
          if (await onRate(given)) onClose();
        }}
        onClose={onClose}
      >
        {given.rating === "good" ? null : (
          <Select
            label="Reason"
            value={given.reason ?? noReason}
            options={reasons}
            onChange={(value) => change({ reason: reasonOf(value) })}
          />
        )}
        <TextArea
          label="Comment"
          hint="Administrators read it. The donor of the device does not."
          maxLength={limits.ratingCommentChars}
          rows={4}
          value={given.comment ?? ""}
          onChange={(event) => change({ comment: event.target.value === "" ? null : event.target.value })}
        />
        {given.rating === "good" ? null : (
          <Checkbox
            label="Dispute the answer"
            hint="An administrator decides whether it is wrong, and may give the price back."
            checked={given.dispute}
            onChange={(dispute) => change({ dispute })}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
