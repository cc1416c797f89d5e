import type { ConvexReactClient } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import * as z from "zod";
import { ssoRefusalWords } from "../../../app/people/single-sign-on.ts";
import { api } from "../../../convex/_generated/api.js";
import { messageOf } from "../data/refusal.ts";
import type { SessionStore } from "./session-store.ts";
import type { SignInAnswer } from "./sign-in.ts";

type ProviderId = NonNullable<
  FunctionReturnType<typeof api.console.access.signIn.options>
>["providers"][number]["providerId"];

/** What a provider's page sends back with the browser, in the address. */
export type SsoAnswer = { readonly code: string } | { readonly refused: string };

const pendingKey = "gleaner.single-sign-on";
const pendingSchema = z.object({ session: z.string(), hash: z.string() });

/** Reads a provider's answer from a location's hash; null if there is none. */
export function ssoAnswer(hash: string): SsoAnswer | null {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const code = parameters.get("sso");
  if (code !== null && code !== "") return { code };
  const refused = parameters.get("sso-refused");
  return refused === null ? null : { refused };
}

/**
 * Goes to a provider's page. This tab keeps the session, which the provider never sees.
 * @param session a new one to sign in, or the present one to prove who the member is.
 */
export async function goToProvider(
  client: Pick<ConvexReactClient, "action">,
  window: Window,
  providerId: ProviderId,
  session: string,
): Promise<void> {
  const { origin, pathname, search, hash } = window.location;
  const returnTo = origin + pathname + search;
  const { url } = await client.action(api.console.access.singleSignOn.begin, {
    providerId,
    session,
    returnTo,
  });
  window.sessionStorage.setItem(pendingKey, JSON.stringify({ session, hash }));
  window.location.assign(url);
}

/** Ends a sign-in that came back from a provider, and shows the page where it began. Never rejects. */
export async function finishSingleSignOn(
  client: Pick<ConvexReactClient, "mutation">,
  store: SessionStore,
  window: Window,
  answer: SsoAnswer,
): Promise<SignInAnswer> {
  const stored = window.sessionStorage.getItem(pendingKey);
  window.sessionStorage.removeItem(pendingKey);
  const pending = pendingSchema.safeParse(stored === null ? null : JSON.parse(stored)).data;
  const { pathname, search } = window.location;
  window.history.replaceState(null, "", pathname + search + (pending?.hash ?? ""));
  if ("refused" in answer) return { kind: "refused", why: ssoRefusalWords(answer.refused) };
  if (pending === undefined) {
    return { kind: "refused", why: "This sign-in did not begin in this tab. Sign in here." };
  }
  try {
    const { session } = pending;
    const { kind } = await client.mutation(api.console.access.signIn.finish, { code: answer.code, session });
    if (kind === "second-factor") return { kind, session };
    store.save(session);
    return { kind: "signed-in" };
  } catch (error) {
    return { kind: "refused", why: messageOf(error) };
  }
}
