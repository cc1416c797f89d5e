import { useMutation, useQuery } from "convex/react";
import { type ReactNode, useEffect, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import {
  type PreviewSums,
  type PreviewView,
  sayCaveats,
  sayHours,
  sayPreview,
  sayProgress,
} from "../../../app/policy/replay/totals.ts";
import { api } from "../../../convex/_generated/api.js";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { messageOf } from "../data/refusal.ts";
import { useSession } from "../data/session-context.ts";

/** Rules that are not in force: a draft, or an earlier version. */
export type PreviewedRules =
  | { readonly rules: { readonly values: Record<string, unknown>; readonly locked: string[] } }
  | { readonly version: number };

export type ShownPreview = { readonly view: PreviewView | null; readonly error: string | null };

/** Asks the devices of a group once to replay rules, and follows their answers. */
export function useRulesPreview(group: string, draft: PreviewedRules): ShownPreview {
  const session = useSession();
  const start = useMutation(api.console.policy.startPreview);
  const seen = useQuery(api.console.policy.preview, { session });
  const [asked] = useState({ session, group, draft });
  const [previewId, setPreviewId] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    start(asked).then(
      ({ previewId: started }) => setPreviewId(started),
      (refused: unknown) => setError(messageOf(refused)),
    );
  }, [start, asked]);
  // Until the answer comes, this may be an earlier preview.
  const isMine = previewId !== null && seen?.previewId === previewId;
  return { view: isMine ? seen : null, error };
}

/** The hours that devices would have given with these rules, by their own records of the last days. */
export function RulesPreview({ view, error }: ShownPreview): ReactNode {
  return (
    <section aria-label="Preview" className="mt-4 rounded-md border border-line bg-surface p-3">
      {error === null ? (
        <Answers view={view} />
      ) : (
        <p role="alert" className="text-bad">
          No preview: {error}
        </p>
      )}
    </section>
  );
}

function Answers({ view }: { readonly view: PreviewView | null }): ReactNode {
  const sums = view?.sums ?? null;
  const sentence = sums === null ? null : sayPreview(sums);
  return (
    <div className="grid gap-2">
      <p aria-live="polite" className="font-medium text-ink">
        {sentence ?? "Devices replay their own last 7 days against these rules. Only totals leave them."}
      </p>
      <ProgressBar label="Devices that answered" share={shareOf(view)} />
      <p className="text-xs">{view === null ? "Asking the devices…" : sayProgress(view)}</p>
      <Comparison sums={sums === null || sums.devices === 0 ? null : sums} />
      {sums === null
        ? null
        : sayCaveats(sums).map((caveat) => (
            <p key={caveat} className="text-xs text-muted">
              {caveat}
            </p>
          ))}
    </div>
  );
}

function shareOf(view: PreviewView | null): number {
  if (view?.fleet == null) return 0;
  const answered = view.sums.devices + view.sums.withoutRecord;
  const total = Math.max(answered, view.fleet.online + view.fleet.offline);
  return total === 0 ? 1 : answered / total;
}

/** Its rows are there from the start, so that nothing moves when answers come. */
function Comparison({ sums }: { readonly sums: PreviewSums | null }): ReactNode {
  const said = (name: keyof PreviewSums, say: (value: number) => string): string =>
    sums === null ? "–" : say(sums[name]);
  const rows: readonly (readonly [string, string, string])[] = [
    ["Time given", said("now", sayHours), said("draft", sayHours)],
    ["Starts", said("nowSpans", formatCount), said("draftSpans", formatCount)],
    ["Devices that never donate", said("nowNever", formatCount), said("draftNever", formatCount)],
  ];
  return (
    <table className="w-full text-xs tabular-nums">
      <thead>
        <tr className="text-left text-muted">
          <th scope="col" className="py-1 font-normal">
            Last 7 days
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            Rules in force
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            This draft
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, now, draft]) => (
          <tr key={name} className="border-t border-line">
            <th scope="row" className="py-1 text-left font-normal">
              {name}
            </th>
            <td className="py-1 text-right">{now}</td>
            <td className="py-1 text-right font-medium">{draft}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
