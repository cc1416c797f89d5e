import { isJoinAddress, type JoinAddress } from "./join-command.ts";

/** A computer's invitation to an organization, as a link carries it. */
export type JoinInvitation = {
  readonly code: string;
  /** The backend's address. Null in links of earlier versions. */
  readonly server: string | null;
  /** The pin of the backend's own certificate. */
  readonly pin: string | null;
};

/** The installed program opens addresses with this scheme. */
export const appScheme = "gleaner";

type Invited = JoinAddress & { readonly code: string };

/** A link that shows another person how to join. @param page the console's address, without a hash. */
export function joinLink(page: string, invited: Invited): string {
  return `${page}${hashOf(invited)}`;
}

/** The same invitation as a link that opens the installed program. */
export function appLink(invited: Invited): string {
  return `${appScheme}://join${hashOf(invited)}`;
}

function hashOf({ code, url, pin }: Invited): string {
  return `#join=${code}&server=${encodeURIComponent(url)}${pin === null ? "" : `&pin=${pin}`}`;
}

const joinHash =
  /^#join=(GLN(?:-[0-9A-Z]{4}){3})(?:&server=([A-Za-z0-9.%[\]:/-]{1,300}))?(?:&pin=(sha256:[0-9a-f]{64}))?$/;

/** Reads the hash of such a link; null if it is none. All parts become a command, so each has to have its exact form. */
export function readJoinHash(hash: string): JoinInvitation | null {
  const [, code, server, pin = null] = joinHash.exec(hash) ?? [];
  if (code === undefined) return null;
  if (server === undefined) return { code, server: null, pin };
  const url = decoded(server);
  return url === null || !isJoinAddress(url) ? null : { code, server: url, pin };
}

/** Reads a link that a person pasted, or that opened the program: to the console's page, or to the program. */
export function readJoinLink(text: string): JoinInvitation | null {
  const link = text.trim();
  const at = link.indexOf("#");
  if (at < 0 || !/^(?:https?|gleaner):\/\//.test(link)) return null;
  return readJoinHash(link.slice(at));
}

/** A part of an address without its escapes. Null if they are malformed. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
