import type { ReactNode } from "react";
import { Badge } from "../../ui/Badge.tsx";
import { cx } from "../../ui/cx.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import type { PageId, VisiblePage } from "./pages.ts";
import { grouped, places } from "./places.ts";
import { hrefOf } from "./route.ts";

export type NavigationProps = {
  /** Null until the member is known. */
  readonly page: PageId | null;
  /** The pages that the member may see. Null until the member is known. */
  readonly pages: readonly VisiblePage[] | null;
  /** Devices that wait for approval. */
  readonly pending: number;
  /** Called while the pointer or the focus is on a link, so that the page can be fetched ahead. */
  readonly onPreload: (page: PageId) => void;
  /** Called when a link was chosen. */
  readonly onNavigate?: () => void;
};

/** The links to the console's pages, in groups. */
export function Navigation({ page, pages, pending, onPreload, onNavigate }: NavigationProps): ReactNode {
  if (pages === null) return <Placeholder />;
  return (
    <nav aria-label="Pages" className="grid content-start gap-4 overflow-y-auto px-2.5 py-2">
      {grouped(pages).map(({ group, pages: members }) => (
        <div key={group}>
          {group === "" ? null : <p className="px-2.5 pb-1 text-xs font-medium text-faint">{group}</p>}
          <ul aria-label={group === "" ? undefined : group} className="grid gap-0.5">
            {members.map(({ id, label }) => {
              const { icon: Icon } = places[id];
              return (
                <li key={id}>
                  <a
                    href={hrefOf(id)}
                    aria-current={id === page ? "page" : undefined}
                    onPointerEnter={() => onPreload(id)}
                    onFocus={() => onPreload(id)}
                    onClick={onNavigate}
                    className={cx(
                      "flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium max-lg:h-11",
                      id === page
                        ? "bg-accent-tint text-accent"
                        : "text-muted hover:bg-sunken hover:text-ink",
                    )}
                  >
                    <Icon aria-hidden size={16} strokeWidth={1.75} className="shrink-0" />
                    {label}
                    {id === "devices" && pending > 0 ? (
                      <span className="ml-auto pl-2">
                        <Badge tone="hold">
                          {pending}
                          <span className="sr-only"> waiting for approval</span>
                        </Badge>
                      </span>
                    ) : null}
                  </a>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Placeholder(): ReactNode {
  return (
    <div aria-hidden className="grid content-start gap-0.5 px-2.5 py-2">
      {["w-20", "w-24", "w-16", "w-28", "w-20", "w-24", "w-16", "w-28"].map((width, at) => (
        <div key={at} className="flex h-8 items-center gap-2.5 px-2.5 max-lg:h-11">
          <Skeleton className="size-4" />
          <Skeleton className={cx("h-3", width)} />
        </div>
      ))}
    </div>
  );
}
