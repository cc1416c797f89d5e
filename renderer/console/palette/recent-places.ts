import * as z from "zod";
import { pages } from "../shell/pages.ts";
import { hrefOf, type Route, routeOf } from "../shell/route.ts";

/** The name of a thing whose address has only its id. Null: it is not known. */
export type Place = { readonly href: string; readonly name: string | null };

export type RecentPlace = Place & { readonly title: string };

const most = 6;
const storageKey = "gleaner-recent-places";
const placesSchema = z
  .array(z.object({ href: z.string().startsWith("#/"), name: z.string().nullable() }))
  .max(most);

/** The place that an address shows, without an open dialog. Null: the address names no page. */
export function placeOf({ page, id, filters }: Route): Place | null {
  if (page === null) return null;
  const shown = Object.fromEntries([...filters].filter(([name]) => name !== "open"));
  return { href: hrefOf(page, id ?? undefined, shown), name: null };
}

/** A place in words: "Jobs · failed". They are not stored, because the language may change. */
export function titleOf({ href, name }: Place): string {
  const { page, id, filters } = routeOf(href);
  const label = pages.find((each) => each.id === page)?.label ?? href;
  const thing = name ?? id;
  return [label, ...(thing === null ? [] : [thing]), ...filters.values()].join(" · ");
}

/** The list with this place first. A place that is there keeps its entry and its name. */
function withPlace(places: readonly Place[], place: Place): readonly Place[] {
  const known = places.find(({ href }) => href === place.href);
  return [known ?? place, ...places.filter(({ href }) => href !== place.href)].slice(0, most);
}

/** The places that this tab showed last, newest first. They end with the tab, and with the session. */
export function recentPlaces(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">): {
  readonly list: () => readonly RecentPlace[];
  readonly add: (place: Place) => void;
  readonly clear: () => void;
} {
  const stored = (): readonly Place[] => {
    try {
      return placesSchema.parse(JSON.parse(storage.getItem(storageKey) ?? "[]"));
    } catch {
      return [];
    }
  };
  return {
    list: () => stored().map((place) => ({ ...place, title: titleOf(place) })),
    add: (place) => storage.setItem(storageKey, JSON.stringify(withPlace(stored(), place))),
    clear: () => storage.removeItem(storageKey),
  };
}
