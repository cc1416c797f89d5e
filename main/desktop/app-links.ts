import type { EventEmitter } from "node:events";
import { appScheme } from "../../app/join-link.ts";

/** Somebody opened the program while it runs. Null: without a link. */
type Listener = (link: string | null) => void;

/** The links that open the program. One listener hears of them at a time. */
export type AppLinks = {
  /** The link that opened the program. Null if none did, or if a listener has heard of it. */
  readonly first: () => string | null;
  /** Hears of each opening from now on, in place of an earlier listener. Null: nobody listens. */
  readonly listen: (listener: Listener | null) => void;
};

/**
 * Collects links from the program's arguments, from other starts of it, and from macOS, which sends the first one before the
 * program is ready. So this has to be called at once. A link that nobody listens for waits for the next listener.
 */
export function appLinks(app: Pick<EventEmitter, "on">, argv: readonly string[]): AppLinks {
  let waiting = linkIn(argv);
  let listener: Listener | null = null;
  const opened = (link: string | null): void => {
    if (listener !== null) listener(link);
    else if (link !== null) waiting = link;
  };
  app.on("second-instance", (_event: unknown, argv: readonly string[]) => {
    const link = linkIn(argv);
    // A start at login asks for no window.
    if (link !== null || !argv.includes("--hidden")) opened(link);
  });
  app.on("open-url", (event: { preventDefault(): void }, url: string) => {
    event.preventDefault();
    opened(linkIn([url]));
  });
  return {
    first: () => {
      const link = waiting;
      waiting = null;
      return link;
    },
    listen: (next) => {
      listener = next;
    },
  };
}

/** Chromium's own arguments may surround the link. */
function linkIn(argv: readonly string[]): string | null {
  return argv.find((argument) => argument.startsWith(`${appScheme}://`)) ?? null;
}
