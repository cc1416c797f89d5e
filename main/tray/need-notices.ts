import { needsYou } from "../../app/contract/needs-you.ts";

/** A need that passes sooner, as while a computer joins, is not told. */
const lastsMs = 60_000;
/** The same need is not told again within this time, if it has passed and come back. */
const againMs = 24 * 3_600_000;

type Deps = {
  readonly snapshot: {
    readonly get: () => Parameters<typeof needsYou>[0];
    readonly onDelta: (listener: () => void) => () => void;
  };
  /** A person with the window open sees the need there. */
  readonly isWindowOpen: () => boolean;
  readonly tell: () => void;
};

/**
 * Tells a person when only they can help, which is all that Gleaner ever tells unasked. Everything else waits until they look.
 * @returns what ends it.
 */
export function needNotices({ snapshot, isWindowOpen, tell }: Deps): () => void {
  let current: string | null = null;
  let told: { readonly need: string; readonly at: number } | null = null;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const need = needsYou(snapshot.get())?.sentence ?? null;
    if (need === current) return;
    current = need;
    clearTimeout(timer);
    if (need === null) return;
    timer = setTimeout(() => {
      const now = Date.now();
      if (told?.need === need && now - told.at < againMs) return;
      told = { need, at: now };
      if (!isWindowOpen()) tell();
    }, lastsMs);
    timer.unref();
  };
  look();
  const stop = snapshot.onDelta(look);
  return () => {
    stop();
    clearTimeout(timer);
  };
}
