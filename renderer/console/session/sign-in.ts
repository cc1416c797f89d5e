import type { ConvexReactClient } from "convex/react";
import { api } from "../../../convex/_generated/api.js";
import { refusalOf } from "../data/refusal.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import type { SessionStore } from "./session-store.ts";
import { refusalWords } from "./sign-in-token.ts";

/** Exchanges the one-time token for a session secret made in this browser. Resolves to the refusal, or null. */
export async function signIn(
  client: ConvexReactClient,
  store: SessionStore,
  token: string,
): Promise<{ readonly refused: string } | null> {
  const session = makeSecret("gs_");
  try {
    const answer = await client.mutation(api.admin.signIn, { token, session });
    if (answer.kind === "refused") return { refused: refusalWords[answer.reason] };
    store.save(session);
    return null;
  } catch (error) {
    return { refused: refusalOf(error)?.message ?? "The server could not check this link. Open it again." };
  }
}
