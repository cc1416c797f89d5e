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
