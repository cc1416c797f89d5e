import { useCallback, useContext, useEffect, useRef, useState } from "react";
import type { HistoryFilter } from "../../../app/contract/past-jobs.ts";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import { Bridge } from "../state/actions.ts";
import { ask } from "../state/ask.ts";
import { knownRows, neededPage, noPages, type Pages, type Visible, withoutFar, withPage } from "./pages.ts";

export type LoadedHistory = {
  readonly list: Pages;
  /** Whether the newest jobs were loaded. Until then only known ones are in the list. */
  readonly isLoaded: boolean;
  readonly isLoading: boolean;
  /** Why the jobs could not be loaded, in a sentence. */
  readonly problem: string | null;
  /** Loads the newest jobs again, and forgets the others. */
  readonly reload: () => void;
  /** Loads what could not be loaded. */
  readonly retry: () => void;
  /** Has to be called with the visible rows. They are loaded, and those far away are dropped. */
  readonly show: (visible: Visible) => void;
};

/**
 * The jobs of one filter, page by page. One page is loaded at a time.
 * @param known the newest jobs, if they are known already
 */
export function useHistory(filter: HistoryFilter, known: readonly HistoryRow[]): LoadedHistory {
  const bridge = useContext(Bridge);
  const [list, setList] = useState<Pages>(() => knownRows(known));
  const [isLoaded, setLoaded] = useState(false);
  const [isLoading, setLoading] = useState(true);
  const [problem, setProblem] = useState<string | null>(null);
  const [visible, setVisible] = useState<Visible>({ first: 0, end: 0 });
  const turn = useRef(0);
  const asked = JSON.stringify(filter);

  const load = useCallback(
    async (place: number, cursor: string | null): Promise<void> => {
      const mine = ++turn.current;
      setLoading(true);
      const argument = { cursor, filter: JSON.parse(asked) as HistoryFilter };
      const reply = await ask(bridge, "history", argument);
      if (mine !== turn.current) return;
      setLoading(false);
      if (reply.kind === "refused") {
        setProblem(reply.message);
        return;
      }
      setProblem(null);
      // The newest page begins the list anew: its rows have moved.
      setList((before) => withPage(cursor === null ? noPages : before, place, reply.value));
      if (cursor === null) setLoaded(true);
    },
    [bridge, asked],
  );

  useEffect(() => {
    void load(0, null);
    return () => {
      turn.current += 1;
    };
  }, [load]);

  const needed = isLoaded && !isLoading && problem === null ? neededPage(list, visible) : null;
  const neededPlace = needed?.place ?? null;
  const neededCursor = needed?.cursor ?? null;
  useEffect(() => {
    if (neededPlace !== null) void load(neededPlace, neededCursor);
  }, [load, neededPlace, neededCursor]);

  const reload = useCallback(() => void load(0, null), [load]);
  return {
    list,
    isLoaded,
    isLoading,
    problem,
    reload,
    // Without a problem, the needed page is loaded.
    retry: isLoaded ? () => setProblem(null) : reload,
    show: useCallback((next: Visible) => {
      setVisible((before) => (before.first === next.first && before.end === next.end ? before : next));
      setList((before) => withoutFar(before, next));
    }, []),
  };
}
