import type { ReactNode } from "react";
import { formatCount, plural } from "../../../../app/format/quantity.ts";
import type { PreviewState } from "./useRulePreview.ts";

type Props = {
  /** Null: there is nothing to preview yet. */
  readonly preview: PreviewState | null;
};

/** How many devices a change of a rule would move, and why others stay. */
export function RulePreviewWords({ preview }: Props): ReactNode {
  return (
    <div role="status" className="min-h-16 rounded-md bg-sunken px-3 py-2">
      {preview === null ? (
        <p className="text-muted">The preview appears once the rule has a group and a condition.</p>
      ) : (
        <Counts preview={preview} />
      )}
    </div>
  );
}

function Counts({ preview: { counts, isDone, error } }: { readonly preview: PreviewState }): ReactNode {
  if (error !== null) return <p className="text-bad">{error}</p>;
  const { moves, same, byHand, earlier, names } = counts;
  const more = moves - names.length;
  const stays = [
    ...(same === 0 ? [] : [plural(same, ["# is there already", "# are there already"])]),
    ...(byHand === 0
      ? []
      : [
          plural(byHand, ["# stays where somebody put it by hand", "# stay where somebody put them by hand"]),
        ]),
    ...(earlier === 0 ? [] : [plural(earlier, ["# fits an earlier rule", "# fit an earlier rule"])]),
  ];
  return (
    <>
      <p className="font-medium">
        {isDone
          ? plural(moves, ["# device will move.", "# devices will move."])
          : plural(moves, ["Counting: # device so far.", "Counting: # devices so far."])}
      </p>
      {names.length === 0 ? null : (
        <p className="text-xs wrap-anywhere text-muted">
          {names.join(", ")}
          {more > 0 ? `, and ${formatCount(more)} more` : ""}
        </p>
      )}
      {stays.length === 0 ? null : (
        <p className="text-xs text-muted">Of those that fit, {stays.join("; ")}.</p>
      )}
    </>
  );
}
