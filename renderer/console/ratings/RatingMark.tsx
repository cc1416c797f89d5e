import { Flag, ThumbsDown, ThumbsUp } from "lucide-react";
import type { ReactNode } from "react";
import type { JobRow } from "../data/rows.ts";

/** A small mark for the rating of a job's answer. Nothing without a rating. */
export function RatingMark({ rating }: { readonly rating: JobRow["rated"] }): ReactNode {
  if (rating === null) return null;
  const [Icon, words, color] =
    rating.dispute === "open"
      ? ([Flag, "Disputed", "text-hold"] as const)
      : rating.rating === "good"
        ? ([ThumbsUp, "Rated as good", "text-good"] as const)
        : ([ThumbsDown, "Rated as bad", "text-bad"] as const);
  return (
    <span title={words} className={`ml-1.5 inline-block align-middle ${color}`}>
      <Icon aria-hidden size={13} />
      <span className="sr-only">{words}</span>
    </span>
  );
}
