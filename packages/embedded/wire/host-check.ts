const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

export type HostCheck = (hostHeader: string | undefined) => boolean;

/**
 * A backend on loopback answers only to loopback's names and those in `allowed`: a web page whose own name was
 * pointed at 127.0.0.1 must not reach it (DNS rebinding). On other addresses any name is accepted.
 */
export function hostCheck(boundTo: string, allowed: readonly string[] = []): HostCheck {
  if (!isLoopback(boundTo)) return () => true;
  const names = new Set([...loopback, ...allowed.map((name) => name.toLowerCase())]);
  return (hostHeader) => hostHeader !== undefined && names.has(hostNameOf(hostHeader));
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function hostNameOf(hostHeader: string): string {
  return hostHeader.toLowerCase().replace(/:\d*$/, "");
}
