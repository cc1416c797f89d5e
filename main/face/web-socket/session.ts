import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const cookieName = "gleaner_panel";

/**
 * Who may use the panel: whoever opened the printed URL, whose token is exchanged for a cookie that no script
 * reads and no other site sends. Both last as long as the process. Other users of this computer, and pages of
 * other sites in the same browser, have neither.
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

/** In time that does not depend on where they differ. */
function equal(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
