import type { ReactNode } from "react";
import { Badge } from "../../ui/Badge.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { RecipientRow } from "../data/rows.ts";
import { sayServerSentence } from "../data/server-sentences.ts";

type Props = { readonly last: RecipientRow["last"]; readonly words: string };

/** The last try to tell somebody, and why it failed. `words`: for one that did not fail. */
export function LastDelivery({ last, words }: Props): ReactNode {
  if (last === null) return <span className="text-muted">none yet</span>;
  return (
    <div>
      <Badge tone={last.error === null ? "good" : "bad"} dot>
        {last.error === null ? words : "Failed"}
      </Badge>{" "}
      <RelativeTime at={last.at} />
      {last.error === null ? null : (
        <p className="text-xs wrap-anywhere text-muted">{sayServerSentence(last.error)}</p>
      )}
    </div>
  );
}
