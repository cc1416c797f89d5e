import { z } from "zod";
import { pages } from "../shell/pages.ts";
import { hrefOf, type Route } from "../shell/route.ts";

export type RecentPlace = { readonly href: string; readonly title: string };

const most = 6;
const storageKey = "gleaner-recent-places";
const placesSchema = z.array(z.object({ href: z.string().startsWith("#/"), title: z.string() })).max(most);

/** The place that an address shows: "Jobs · failed". Null: the address names no page. */
export function placeOf({ page, id, filters }: Route): RecentPlace | null {
  if (page === null) return null;
  const shown = Object.fromEntries([...filters].filter(([name]) => name !== "open"));
  const label = pages.find((each) => each.id === page)?.label ?? page;
  const title = [label, ...(id === null ? [] : [id]), ...Object.values(shown)].join(" · ");
  return { href: hrefOf(page, id ?? undefined, shown), title };
}

/** The list with this place first. A place that is there keeps its entry and its name. */
function withPlace(places: readonly RecentPlace[], place: RecentPlace): readonly RecentPlace[] {
  const known = places.find(({ href }) => href === place.href);
  return [known ?? place, ...places.filter(({ href }) => href !== place.href)].slice(0, most);
}

/** The places that this tab showed last, newest first. They end with the tab, and with the session. */
export function recentPlaces(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">): {
  readonly list: () => readonly RecentPlace[];
  readonly add: (place: RecentPlace) => void;
  readonly clear: () => void;
} {
  const list = (): readonly RecentPlace[] => {
    try {
      return placesSchema.parse(JSON.parse(storage.getItem(storageKey) ?? "[]"));
    } catch {
      return [];
    }
  };
  return {
    list,
    add: (place) => storage.setItem(storageKey, JSON.stringify(withPlace(list(), place))),
    clear: () => storage.removeItem(storageKey),
  };
}
