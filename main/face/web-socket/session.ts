import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const cookieName = "gleaner_panel";

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
 * Admits the browser that opened the printed URL: its token is exchanged for a cookie that no script reads and no
 * other site sends. Both last as long as the process. Other users of this computer, and pages of other sites in the
 * same browser, have neither.
 */
export class PanelSession {
  readonly token = randomBytes(32).toString("base64url");
  readonly #cookie = randomBytes(32).toString("base64url");

  acceptsToken(token: string | null): boolean {
    return token !== null && equal(token, this.token);
  }

  acceptsCookie(request: IncomingMessage): boolean {
    const found = cookieOf(request.headers.cookie ?? "");
    return found !== null && equal(found, this.#cookie);
  }

  /** No `Secure`: the panel is served over plain HTTP on loopback, which never leaves the computer. */
  get setCookie(): string {
    return `${cookieName}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`;
  }
}

function cookieOf(header: string): string | null {
  for (const part of header.split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === cookieName && value !== undefined) return value;
  }
  return null;
}

/** Takes the same time wherever they differ, so that a secret cannot be guessed piece by piece. */
function equal(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
