export type JoinAddress = {
  /** The backend's address for other computers. */
  readonly url: string;
  /** The pin of its own certificate; null if authorities know its certificate, and without TLS. */
  readonly pin: string | null;
};

/** An address that is safe in a shell and leads where it seems to: a scheme, a host and a port, and nothing else. */
const plainAddress = /^https?:\/\/[A-Za-z0-9.[\]:-]+$/;

/** Whether an address may become part of the command below. */
export function isJoinAddress(url: string): boolean {
  return plainAddress.test(url);
}

/** The command by which another computer joins, in a POSIX shell in a clone of the repository. Throws without a plain address. */
export function joinCommand({ code, url, pin }: JoinAddress & { readonly code: string }): string {
  if (!isJoinAddress(url)) throw new Error("This address cannot be part of a command.");
  const trust = pin !== null ? ` --pin ${pin}` : url.startsWith("http:") ? " --insecure-http" : "";
  return `GLEANER_CODE=${code} npm run donate -- --backend ${url}${trust}`;
}

/** Whether only the same computer reaches this address. */
export function isLoopback(url: string): boolean {
  return /^https?:\/\/(localhost|\[::1\]|127(\.\d{1,3}){3})(:\d+)?(\/|$)/.test(url);
}
