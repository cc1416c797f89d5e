import type { Draft } from "./policy-draft.ts";

export type KeptDraft = { readonly baseVersion: number; readonly draft: Draft };

/** Unsaved rules by session and group. They survive a visit to another page and end with the tab. */
const kept = new Map<string, KeptDraft>();

export function keptDraft(session: string, group: string): KeptDraft | null {
  return kept.get(`${session} ${group}`) ?? null;
}

/** Null deletes the draft. */
export function keepDraft(session: string, group: string, draft: KeptDraft | null): void {
  if (draft === null) kept.delete(`${session} ${group}`);
  else kept.set(`${session} ${group}`, draft);
}

export function hasDrafts(): boolean {
  return kept.size > 0;
}
