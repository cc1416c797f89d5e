import type { ReactNode } from "react";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { useNow } from "../../ui/clock.ts";
import { cx } from "../../ui/cx.ts";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { toneTint } from "../../ui/tone.ts";
import { Controls } from "./Controls.tsx";
import { describeStatus } from "./describe-status.ts";

/** Shows what Gleaner does and why in the largest type, with the donor's commands. */
export function Status({ snapshot }: { readonly snapshot: DonorSnapshot }): ReactNode {
  const now = useNow();
  const words = describeStatus(snapshot, now);
  return (
    <section aria-label="Status" className={cx("rounded-lg px-4 pt-3.5 pb-4", toneTint[words.tone])}>
      <div aria-live="polite">
        <p className="flex items-center gap-2.5 text-xl font-semibold">
          <StatusDot tone={words.tone} busy={snapshot.work !== null} />
          {words.title}
        </p>
        <p className="mt-1 min-h-10 text-ink">{words.sentence}</p>
      </div>
      <p className="mt-0.5 min-h-5 text-xs text-muted">{words.next}</p>
      {snapshot.device === null ? null : <Controls snapshot={snapshot} now={now} />}
    </section>
  );
}
