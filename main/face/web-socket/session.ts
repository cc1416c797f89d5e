import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { panelProtocol } from "../../../app/contract/donor-calls.ts";

/**
 * Whether a request was meant for this server. Its Host must be loopback at our port: a foreign name that resolves
 * to 127.0.0.1 (DNS rebinding) gets nothing. Its Origin, if it has one, must be the same.
 */
export function isSameOrigin(request: IncomingMessage, port: number, needsOrigin: boolean): boolean {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.includes(host)) return false;
  if (origin === undefined) return !needsOrigin;
  return origin === `http://${host}`;
}

/**
 * Admits a page that knows the printed token, which lasts as long as the process. The page sends it as a subprotocol of
 * its socket. It is no cookie, because a browser sends those to the servers at all ports of a host.
 */
export class PanelSession {
  readonly token = randomBytes(32).toString("base64url");

  accepts(request: IncomingMessage): boolean {
    const [name = "", token = ""] = (request.headers["sec-websocket-protocol"] ?? "").split(/, */);
    return name === panelProtocol && equal(token, this.token);
  }
}

/** Takes the same time wherever they differ, so that a secret cannot be guessed piece by piece. */
function equal(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
