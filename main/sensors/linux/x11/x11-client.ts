import type { Display, XClient } from "x11";

export type X11 = { readonly client: XClient; readonly root: number };

/** A display that does not answer within this time counts as broken. */
const openWithinMs = 3_000;

/** Connects to the environment's display over its socket. Null without a display, or if it refuses us. */
export async function openX11(display: string, onLost: () => void): Promise<X11 | null> {
  const { createClient } = await import("x11");
  return new Promise((resolve) => {
    let client: XClient | null = null;
    const timer = setTimeout(() => settle(null), openWithinMs);
    let settled = false;
    const settle = (opened: Display | null): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (opened === null) client?.stream?.destroy();
      const root = opened?.screen[0]?.root;
      resolve(opened === null || root === undefined ? null : { client: opened.client, root });
    };
    try {
      client = createClient(
        { display, shm: false, disableBigRequests: true },
        (error: Error | null | undefined, opened: Display) => settle(error ? null : opened),
      );
      // A window may vanish while it is queried. That is an error of no importance.
      client.on("error", () => settle(null));
      client.on("end", () => {
        if (settled) onLost();
        settle(null);
      });
    } catch {
      settle(null);
    }
  });
}

/** The answer to one request. Null if the server answers with an error. */
export function ask<T>(
  request: (reply: (error: Error | null | undefined, value: T) => boolean) => void,
): Promise<T | null> {
  return new Promise((resolve) =>
    request((error, value) => {
      resolve(error ? null : value);
      // Marks the error as handled, so that the client does not raise it, too.
      return true;
    }),
  );
}
