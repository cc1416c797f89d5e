import type { ConvexReactClient } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { api } from "../../../convex/_generated/api.js";
import { messageOf, refusalOf } from "../data/refusal.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import type { SessionStore } from "./session-store.ts";

/** The links that sign somebody in: `#signin=TOKEN` and `#invite=TOKEN`. */
export type LinkKind = "signin" | "invite";

/** The one-time token in a location's hash, or null. */
export function linkToken(hash: string, kind: LinkKind): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get(kind);
  return token === null || token === "" ? null : token;
}

/** A link that this console's address opens. */
export function linkOf({ origin, pathname, search }: Location, kind: LinkKind, token: string): string {
  return `${origin}${pathname}${search}#${kind}=${token}`;
}

/** Reads the token and removes it from the address bar and the history, where others could find it. */
export function takeLinkToken(window: Window, kind: LinkKind): string | null {
  const token = linkToken(window.location.hash, kind);
  if (token !== null) {
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
  }
  return token;
}

type Refused = Extract<FunctionReturnType<typeof api.console.account.signIn>, { kind: "refused" }>;

/** Why a link did not work. */
export const refusalWords: Readonly<Record<Refused["reason"], string>> = {
  used: "This sign-in link was already used. Each link works only once.",
  expired: "This sign-in link has expired.",
  "unknown-link": "This sign-in link is not valid on this server.",
};

/** The server's answer. */
export type SignInAnswer =
  | { readonly kind: "signed-in" }
  /** The session begins once its member has given the second factor. */
  | { readonly kind: "second-factor"; readonly session: string }
  | { readonly kind: "refused"; readonly why: string };

type SignInOutcome =
  | SignInAnswer
  /** The server has not answered in time. It may still: the link works only once, so its late answer counts. */
  | { readonly kind: "late"; readonly answer: Promise<SignInAnswer> };

/** A server answers in milliseconds, so this is time for a slow network. */
const answersWithinMs = 15_000;

/** Exchanges the one-time token for a session secret made in this browser, and stores the session. Never rejects. */
export async function signIn(
  client: Pick<ConvexReactClient, "mutation">,
  store: SessionStore,
  token: string,
  withinMs = answersWithinMs,
): Promise<SignInOutcome> {
  const session = makeSecret("gs_");
  const answer = exchange(client, store, token, session);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<SignInOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "late", answer }), withinMs);
  });
  const outcome = await Promise.race([answer, late]);
  clearTimeout(timer);
  // The page may be closed before the answer. The next visit then tries this session.
  if (outcome.kind === "late" && store.load() === null) store.save(session);
  return outcome;
}

async function exchange(
  client: Pick<ConvexReactClient, "mutation">,
  store: SessionStore,
  token: string,
  session: string,
): Promise<SignInAnswer> {
  try {
    const answer = await client.mutation(api.console.account.signIn, {
      token,
      session,
      agent: navigator.userAgent,
    });
    if (answer.kind === "signed-in") store.save(session);
    else if (store.load() === session) store.clear();
    if (answer.kind === "refused") return { kind: "refused", why: refusalWords[answer.reason] };
    return answer.kind === "second-factor" ? { kind: "second-factor", session } : answer;
  } catch (error) {
    if (store.load() === session) store.clear();
    return {
      kind: "refused",
      why:
        refusalOf(error) === null ? "The server could not check this link. Open it again." : messageOf(error),
    };
  }
}
