import * as z from "zod";
import { type Refusal, refusedFor } from "../../app/contract/donor-calls.ts";
import type { GivenInvitation } from "../../app/contract/invitation.ts";
import { isJoinAddress, isLoopback } from "../../app/join-command.ts";
import { readJoinLink } from "../../app/join-link.ts";
import type { Pin } from "../connection/pin.ts";

export type Server = { readonly url: string; readonly pin: Pin | null };

/** A code, and the server that knows it. */
export type InvitedTo = Server & { readonly code: string };

type Read =
  /** `code`: null if the person signs in at the server instead. */
  | { readonly kind: "invited"; readonly to: Server & { readonly code: string | null } }
  /** It says what to do. */
  | Refusal;

/** Reads an invitation as a person gave it. An address without a scheme gets `https://`. */
export function invitedTo({ invitation }: Pick<GivenInvitation, "invitation">): Read {
  if (!("link" in invitation)) {
    const url = originOf(invitation.server);
    if (url === null) {
      return refusedFor("not-an-address");
    }
    const code = "code" in invitation ? invitation.code : null;
    return { kind: "invited", to: { url, pin: invitation.announcedPin, code } };
  }
  const found = readJoinLink(invitation.link);
  if (found === null) {
    return refusedFor("not-a-link");
  }
  if (found.server === null) {
    return refusedFor("link-without-server", found.code);
  }
  return { kind: "invited", to: { url: found.server, pin: found.pin, code: found.code } };
}

/** Whether the server is another computer that is reached without encryption. */
export function isUnencrypted({ url }: Pick<InvitedTo, "url">): boolean {
  return url.startsWith("http:") && !isLoopback(url);
}

function originOf(text: string): string | null {
  const written = text.includes("://") ? text : `https://${text}`;
  const address = z.url({ protocol: /^https?$/ }).safeParse(written);
  if (!address.success) return null;
  const { origin } = new URL(address.data);
  return isJoinAddress(origin) ? origin : null;
}
