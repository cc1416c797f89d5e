import type { IncomingMessage } from "node:http";

/**
 * Whether a request was meant for this server: its Host is loopback at our port, so that a foreign name which
 * was pointed at 127.0.0.1 gets nothing (DNS rebinding); its Origin, where it has one, is the same.
 */
export function isSameOrigin(request: IncomingMessage, port: number, needsOrigin: boolean): boolean {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host)) return false;
  if (origin === undefined) return !needsOrigin;
  return origin === `http://${host}`;
}
