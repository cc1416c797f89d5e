import { useCallback, useMemo, useSyncExternalStore } from "react";
import { type PageId, pages } from "./pages.ts";

/** A place in the console: a page, one thing on it, and the page's filters. */
export type Route = {
  /** Null: the address names no page, so the first one that the member may see is shown. */
  readonly page: PageId | null;
  /** The device, job or other thing that is shown; null: the list. */
  readonly id: string | null;
  readonly filters: URLSearchParams;
};

/** Reads a location's hash, such as `#/devices`, `#/devices/ID` or `#/jobs?status=failed`. */
export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [named = "", id = ""] = path.split("/").map(decoded);
  const page = pages.find((known) => known.id === named)?.id ?? null;
  return { page, id: page === null || id === "" ? null : id, filters: new URLSearchParams(query) };
}

/** The address of a place, for a link. Empty filters are left out. */
export function hrefOf(page: PageId, id?: string, filters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== "")).toString();
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The present location's hash. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => window.location.hash);
}

export function useRoute(): Route {
  const hash = useHash();
  return useMemo(() => routeOf(hash), [hash]);
}

/** Shows another address in place of the present one: each letter of a search is no step of the history. */
export function showInstead(href: string): void {
  window.history.replaceState(null, "", href);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/** A filter in the address, so that a link shows the same rows. Setting it to "" removes it. */
export function useFilter(name: string): readonly [string, (value: string) => void] {
  const { filters } = useRoute();
  const set = useCallback(
    (value: string) => {
      const { page, id, filters: now } = routeOf(window.location.hash);
      if (page === null) return;
      const next = hrefOf(page, id ?? undefined, { ...Object.fromEntries(now), [name]: value });
      showInstead(next);
    },
    [name],
  );
  return [filters.get(name) ?? "", set];
}
