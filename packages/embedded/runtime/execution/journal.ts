/** A decision of a query's run that its next run must keep: the end of its page. */
export type Journal = { readonly endCursor: string | null };

const empty: Journal = { endCursor: null };

/**
 * Parses the journal that a client sent back. Clients may send anything, so only its cursor is used, after it
 * was unsealed.
 */
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

/** Formats the journal for the client; null if it is empty. */
export function formatJournal({ endCursor }: Journal): string | null {
  return endCursor === null ? null : JSON.stringify({ endCursor });
}
