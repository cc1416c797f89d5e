import { useConvex } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { useEffect, useState } from "react";
import { addPreviews, noPreview, type RulePreview } from "../../../../app/devices/placement.ts";
import { api } from "../../../../convex/_generated/api.js";
import { messageOf } from "../../data/refusal.ts";
import type { RuleRow } from "../../data/rows.ts";
import { useSession } from "../../data/session-context.ts";
import { useSettled } from "../../palette/use-settled.ts";

export type RuleDraft = Pick<RuleRow, "group" | "filter">;

/** The devices that are counted so far. `error`: why the draft cannot be previewed. */
export type PreviewState = {
  readonly counts: RulePreview;
  readonly isDone: boolean;
  readonly error: string | null;
};

type Page = FunctionReturnType<typeof api.console.fleet.groupRules.preview>;

const nothingYet: PreviewState = { counts: noPreview, isDone: false, error: null };
const typingPauseMs = 400;

/**
 * Counts the effect of a change of a rule, page by page. A draft of null: the rule is removed. Undefined: there is nothing to
 * preview yet.
 */
export function useRulePreview(
  ruleId: RuleRow["ruleId"] | null,
  draft: RuleDraft | null | undefined,
): PreviewState | null {
  const convex = useConvex();
  const session = useSession();
  const wanted = useSettled(draft === undefined ? "" : JSON.stringify(draft), typingPauseMs);
  const [state, setState] = useState<(PreviewState & { readonly of: string }) | null>(null);
  useEffect(() => {
    if (wanted === "") return;
    const stopped = new AbortController();
    const { signal } = stopped;
    const show = (next: PreviewState): void => {
      if (!signal.aborted) setState({ of: wanted, ...next });
    };
    const read = async (cursor: string | null): Promise<Page> =>
      await convex.query(api.console.fleet.groupRules.preview, {
        session,
        ruleId,
        draft: JSON.parse(wanted) as RuleDraft | null,
        cursor,
      });
    const count = async (): Promise<void> => {
      let counts: RulePreview = noPreview;
      let cursor: string | null = null;
      do {
        const { next, ...page }: Page = await read(cursor);
        counts = addPreviews(counts, page);
        cursor = next;
        show({ counts, isDone: next === null, error: null });
      } while (cursor !== null && !signal.aborted);
    };
    count().catch((error: unknown) => show({ ...nothingYet, isDone: true, error: messageOf(error) }));
    return () => stopped.abort();
  }, [convex, session, ruleId, wanted]);
  if (draft === undefined) return null;
  return state?.of === JSON.stringify(draft) ? state : nothingYet;
}
