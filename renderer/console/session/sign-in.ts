import type { ConvexReactClient } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { api } from "../../../convex/_generated/api.js";
import { refusalOf } from "../data/refusal.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import type { SessionStore } from "./session-store.ts";

/** The one-time token in a location's hash (`#signin=TOKEN`), or null. */
export function signInToken(hash: string): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("signin");
  return token === null || token === "" ? null : token;
}

/** Reads the token and removes it from the address bar and the history, where others could find it. */
export function takeSignInToken(window: Window): string | null {
  const token = signInToken(window.location.hash);
  if (token !== null) {
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
  }
  return token;
}

type Refused = Extract<FunctionReturnType<typeof api.admin.signIn>, { kind: "refused" }>;

/** Why a link did not work. */
export const refusalWords: Readonly<Record<Refused["reason"], string>> = {
  used: "This sign-in link was already used. Each link works only once.",
  expired: "This sign-in link has expired.",
  "unknown-link": "This sign-in link is not valid on this server.",
};

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
