import type { EventEmitter } from "node:events";
import { appScheme } from "../../app/join-link.ts";

/** Somebody opens the program. Null: without a link. */
type Opening = { readonly link: string | null };

/** Hears that somebody opened the program while it runs. Null: without a link. */
type Listener = (link: string | null) => void;

/** The links that open the program. One listener hears of them at a time. */
export type AppLinks = {
  /** The last opening that no listener has heard of, or null. The first start counts only with a link. */
  readonly takeWaiting: () => Opening | null;
  /** Hears of each opening from now on, in place of an earlier listener. Null: nobody listens. */
  readonly listen: (listener: Listener | null) => void;
};

/**
 * Collects links from the program's arguments, from other starts of it, and from macOS, which sends the first one before the
 * program is ready. So this has to be called at once. An opening that nobody listens for waits: the program takes seconds to
 * start on a slow computer, and a person who opens it meanwhile expects a window.
 */
export function appLinks(app: Pick<EventEmitter, "on">, argv: readonly string[]): AppLinks {
  const first = linkIn(argv);
  let waiting: Opening | null = first === null ? null : { link: first };
  let listener: Listener | null = null;
  const opened = (link: string | null): void => {
    if (listener !== null) listener(link);
    else waiting = { link: link ?? waiting?.link ?? null };
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
    takeWaiting: () => {
      const taken = waiting;
      waiting = null;
      return taken;
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
