/** What a query's run decided that its next run must keep to: where its page ended. */
export type Journal = { readonly endCursor: string | null };

const empty: Journal = { endCursor: null };

/** Reads the journal that a client sent back. A client may send anything: only its cursor is trusted, once opened. */
export function parseJournal(text: string | null | undefined): Journal {
  if (text === null || text === undefined || text === "") return empty;
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== "object" || json === null) return empty;
    const endCursor = "endCursor" in json ? json.endCursor : null;
    return typeof endCursor === "string" ? { endCursor } : empty;
  } catch {
    return empty;
  }
}

/** The journal as a client keeps it; null when there is nothing to keep. */
export function formatJournal({ endCursor }: Journal): string | null {
  return endCursor === null ? null : JSON.stringify({ endCursor });
}
