import type { Display, XClient } from "x11";

export type X11 = { readonly client: XClient; readonly root: number };

/** A display that does not answer for this long does not work. */
const openWithinMs = 3_000;

/** Connects to the display of the environment, over its socket. Null where there is none, or it refuses us. */
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
      // A window that vanished while it was asked about is an error too, and none that matters.
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

/** One request's answer; null where the server answers with an error. */
export function ask<T>(
  request: (reply: (error: Error | null | undefined, value: T) => boolean) => void,
): Promise<T | null> {
  return new Promise((resolve) =>
    request((error, value) => {
      resolve(error ? null : value);
      // Taken note of: the client shall not raise it as well.
      return true;
    }),
  );
}
