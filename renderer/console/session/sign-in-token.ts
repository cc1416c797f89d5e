import type { FunctionReturnType } from "convex/server";
import type { api } from "../../../convex/_generated/api.js";

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

/** Explains why a link was refused. */
export const refusalWords: Readonly<Record<Refused["reason"], string>> = {
  used: "This sign-in link was used before. Each link works once.",
  expired: "This sign-in link has expired.",
  "unknown-link": "This server does not know the sign-in link.",
};
