type Page = {
  readonly location: Pick<Location, "hostname" | "port" | "protocol" | "pathname">;
  readonly isSecureContext: boolean;
  /** Absent in a browser without passkeys. */
  readonly PublicKeyCredential?: unknown;
};

/** Why this page cannot use passkeys, in words; null if it can. They belong to a domain, and browsers want a secure context. */
export function passkeyProblem({
  location,
  isSecureContext,
  PublicKeyCredential: browser,
}: Page): string | null {
  const { hostname, port, protocol, pathname } = location;
  if (/^127\.|^\[::1\]$/.test(hostname)) {
    return `Passkeys need a name as the address. Open the console at ${protocol}//localhost:${port}${pathname} to use them.`;
  }
  if (/^[\d.]+$|^\[/.test(hostname)) {
    return "Passkeys need a name as the address, and this console is open at a number. Ask the operator for a name with TLS.";
  }
  if (!isSecureContext) return "Passkeys need an address with TLS, and this one begins with http://.";
  return browser === undefined ? "This browser has no passkeys." : null;
}
