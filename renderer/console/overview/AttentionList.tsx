import { type ReactNode, useState } from "react";
import { attentionPlace, attentionWords } from "../../../app/devices/attention.ts";
import { formatCount } from "../../../app/format/quantity.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { StatusDot } from "../../ui/StatusDot.tsx";
import type { AttentionItem } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";

const shown = 6;
/** Nothing is broken yet. */
const calmKinds: readonly AttentionItem["kind"][] = ["never-donated", "expiring-keys"];

/** All that needs somebody's attention: one sentence each, and the way to the act that mends it. Empty while all is well. */
export function AttentionList({ items }: { readonly items: readonly AttentionItem[] }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  if (items.length === 0) return null;
  return (
    <Card flush title="Needs attention">
      <ul className="divide-y divide-line">
        {items.slice(0, isOpen ? items.length : shown).map((item) => {
          const { sentence, act } = attentionWords(item);
          return (
            <li
              key={`${item.kind} ${item.subject}`}
              className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2"
            >
              <span className="flex min-w-0 flex-1 basis-80 items-baseline gap-2.5">
                <StatusDot tone={calmKinds.includes(item.kind) ? "hold" : "bad"} />
                <span className="min-w-0 wrap-anywhere">
                  {sentence}{" "}
                  <span className="text-xs text-muted">
                    <RelativeTime at={item.since} />
                  </span>
                </span>
              </span>
              <a href={placeOf(item)} className="font-medium text-accent hover:underline">
                {act}
              </a>
            </li>
          );
        })}
      </ul>
      {items.length <= shown ? null : (
        <div className="border-t border-line px-2 py-1">
          <Button size="sm" look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Show fewer" : `Show ${formatCount(items.length - shown)} more`}
          </Button>
        </div>
      )}
    </Card>
  );
}

function placeOf(item: AttentionItem): string {
  const { page, filters } = attentionPlace(item);
  return hrefOf(page, undefined, filters);
}
