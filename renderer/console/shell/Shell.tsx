import type { ReactNode } from "react";
import { Badge } from "../../ui/Badge.tsx";
import { Banner } from "../../ui/Banner.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { cx } from "../../ui/cx.ts";
import { Logo } from "../../ui/Logo.tsx";
import { StatusDot } from "../../ui/StatusDot.tsx";
import type { PageId, VisiblePage } from "./pages.ts";
import { hrefOf } from "./route.ts";

export type Connection = "live" | "connecting" | "lost";

type Props = {
  readonly page: PageId;
  /** The pages that the member may see. */
  readonly pages: readonly VisiblePage[];
  readonly organization: string | null;
  /** The signed-in member; null while it loads. */
  readonly member: string | null;
  readonly connection: Connection;
  /** Devices that wait for approval. */
  readonly pending: number;
  readonly onSignOut: () => void;
  readonly children: ReactNode;
};

/** The account is at the member's name. */
function navigable(pages: Props["pages"]): Props["pages"] {
  return pages.filter(({ id }) => id !== "account");
}

const connections = {
  live: { tone: "good", words: "Live" },
  connecting: { tone: "hold", words: "Connecting" },
  lost: { tone: "bad", words: "Connection lost" },
} as const;

export function Shell({
  page,
  pages,
  organization,
  member,
  connection,
  pending,
  onSignOut,
  children,
}: Props): ReactNode {
  return (
    <div className="min-h-screen lg:grid lg:grid-cols-[13.5rem_1fr]">
      <aside className="border-line max-lg:border-b lg:sticky lg:top-0 lg:flex lg:h-screen lg:flex-col lg:border-r">
        <div className="flex items-center gap-2.5 px-4 pt-4 pb-3">
          <span className="text-accent">
            <Logo size={26} />
          </span>
          <div className="min-w-0">
            <p className="leading-4 font-semibold">Gleaner</p>
            <p className="truncate text-xs text-muted">{organization ?? " "}</p>
          </div>
        </div>
        <nav aria-label="Pages" className="flex gap-0.5 overflow-x-auto px-2 pb-2 lg:grid lg:pt-2">
          {navigable(pages).map(({ id, label }) => (
            <a
              key={id}
              href={hrefOf(id)}
              aria-current={id === page ? "page" : undefined}
              className={cx(
                "flex h-8 shrink-0 items-center rounded-md px-2.5 font-medium",
                id === page ? "bg-accent-tint text-accent" : "text-muted hover:bg-sunken hover:text-ink",
              )}
            >
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
          ))}
        </nav>
        <div className="flex items-center justify-between gap-2 px-4 pb-3 lg:mt-auto">
          <span role="status" className="flex items-center gap-2 text-xs text-muted">
            <StatusDot tone={connections[connection].tone} busy={connection !== "live"} />
            {connections[connection].words}
          </span>
          {member === null ? null : (
            <a
              href={hrefOf("account")}
              aria-label={`${member}: your account`}
              aria-current={page === "account" ? "page" : undefined}
              title={member}
              className="min-w-0 flex-1 truncate text-right text-xs font-medium underline-offset-2 hover:underline lg:text-left"
            >
              {member}
            </a>
          )}
          <Button look="quiet" size="sm" className="-mr-2.5" onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </aside>
      <div className="min-w-0">
        {connection === "lost" ? (
          <Banner tone="bad" busy>
            The server cannot be reached. This page may be out of date. Reconnecting…
          </Banner>
        ) : null}
        <main className="mx-auto grid max-w-[100rem] gap-4 px-4 py-5 lg:px-7">
          <h1 className="text-xl font-semibold">{pages.find(({ id }) => id === page)?.label}</h1>
          {children}
        </main>
      </div>
    </div>
  );
}
