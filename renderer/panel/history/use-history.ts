import { useCallback, useContext, useEffect, useState } from "react";
import { refusalWords } from "../../../app/contract/donor-calls.ts";
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
  const [problem, setProblem] = useState<string | null>(null);
  const [visible, setVisible] = useState<Visible>({ first: 0, end: 0 });
  /** How often the newest jobs were asked for, and the last time at which they came. */
  const [asked, setAsked] = useState(1);
  const [answered, setAnswered] = useState(0);
  const wanted = asked === answered ? neededPage(list, visible) : { place: 0, cursor: null };
  // After a problem, nothing is asked before somebody wants it.
  const isLoading = wanted !== null && problem === null;
  const place = isLoading ? wanted.place : null;
  const cursor = isLoading ? wanted.cursor : null;
  const filterText = JSON.stringify(filter);

  useEffect(() => {
    if (place === null) return;
    let isCurrent = true;
    const argument = { cursor, filter: JSON.parse(filterText) as HistoryFilter };
    void ask(bridge, "history", argument).then((reply) => {
      if (!isCurrent) return;
      if (reply.kind === "refused") {
        setProblem(refusalWords(reply));
        return;
      }
      // The newest page begins the list anew: its rows have moved.
      const isNewest = asked !== answered;
      setList((before) => withPage(isNewest ? noPages : before, place, reply.value));
      if (isNewest) setAnswered(asked);
    });
    return () => {
      isCurrent = false;
    };
  }, [bridge, filterText, place, cursor, asked, answered]);

  return {
    list,
    isLoaded: answered > 0,
    isLoading,
    problem,
    reload: useCallback(() => {
      setProblem(null);
      setAsked((before) => before + 1);
    }, []),
    retry: useCallback(() => setProblem(null), []),
    show: useCallback((next: Visible) => {
      setVisible((before) => (before.first === next.first && before.end === next.end ? before : next));
      setList((before) => withoutFar(before, next));
    }, []),
  };
}
