import { useCallback } from "react";
import { shownPrefix } from "../../../app/format/secrets.ts";
import { api } from "../../../convex/_generated/api.js";
import type { PlaygroundState } from "../data/rows.ts";
import { useMemberMutation, useSession } from "../data/session-context.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";

const place = "gleaner.playground";

/**
 * Returns the session's key, and makes one if there is none. Like the session's secret it is kept by the browser, so that all
 * tabs use one key. Rejects if the server refuses one.
 */
export function usePlaygroundKey(state: PlaygroundState | undefined): () => Promise<string> {
  const session = useSession();
  const begin = useMemberMutation(api.console.playground.begin);
  const known = state?.key?.prefix ?? null;
  return useCallback(async () => {
    const kept = window.localStorage.getItem(place);
    if (kept !== null && known !== null && shownPrefix(kept) === known) return kept;
    const secret = makeSecret("sk-gleaner-");
    await begin({ session, keyHash: sha256(secret), prefix: shownPrefix(secret) });
    window.localStorage.setItem(place, secret);
    return secret;
  }, [begin, known, session]);
}
