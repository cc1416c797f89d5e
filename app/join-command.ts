export type JoinAddress = {
  /** The backend's address for other computers. */
  readonly url: string;
  /** The pin of its own certificate; null if authorities know its certificate, and without TLS. */
  readonly pin: string | null;
};

/** The command by which another computer joins, in a POSIX shell in a clone of the repository. */
export function joinCommand({ code, url, pin }: JoinAddress & { readonly code: string }): string {
  const trust = pin !== null ? ` --pin ${pin}` : url.startsWith("http:") ? " --insecure-http" : "";
  return `GLEANER_CODE=${code} npm run donate -- --backend ${url}${trust}`;
}

/** Whether only the same computer reaches this address. */
export function isLoopback(url: string): boolean {
  return /^https?:\/\/(localhost|\[::1\]|127(\.\d{1,3}){3})(:\d+)?(\/|$)/.test(url);
}

/** What a link to the page about joining has: a code, and the pin of the server's own certificate. */
type JoinInvitation = { readonly code: string; readonly pin: string | null };

/** A link that shows another person how to join. @param page the console's address, without a hash. */
export function joinLink(page: string, { code, pin }: JoinInvitation): string {
  return `${page}#join=${code}${pin === null ? "" : `&pin=${pin}`}`;
}

const joinHash = /^#join=(GLN(?:-[0-9A-Z]{4}){3})(?:&pin=(sha256:[0-9a-f]{64}))?$/;

/** Reads the hash of such a link; null if it is none. Both parts become a command, so each has to have its exact form. */
export function readJoinLink(hash: string): JoinInvitation | null {
  const [, code, pin = null] = joinHash.exec(hash) ?? [];
  return code === undefined ? null : { code, pin };
}
