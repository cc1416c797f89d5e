import { CircleUser, Menu as MenuIcon, Search, X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Banner } from "../../ui/Banner.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Logo } from "../../ui/Logo.tsx";
import { Drawer } from "../../ui/overlays/Drawer.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { Navigation, type NavigationProps } from "./Navigation.tsx";
import { titleOf } from "./places.ts";
import { hrefOf } from "./route.ts";

export type Connection = "live" | "connecting" | "lost";

type Props = Omit<NavigationProps, "onNavigate"> & {
  readonly organization: string | null;
  readonly connection: Connection;
  /** The signed-in member; null while it loads. */
  readonly member: string | null;
  /** Opens the command palette. */
  readonly onSearch: () => void;
  readonly onSignOut: () => void;
  readonly children: ReactNode;
};

const connections = {
  live: { tone: "good", words: "Live" },
  connecting: { tone: "hold", words: "Connecting" },
  lost: { tone: "bad", words: "Connection lost" },
} as const;

/** The frame of all pages: the navigation at the left, or behind a button in a narrow window. */
export function Shell(props: Props): ReactNode {
  const { page, pages, organization, connection, member, onSearch, onSignOut, children } = props;
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const label = pages?.find(({ id }) => id === page)?.label ?? "";
  const heading = useHeading(page, titleOf(label, organization));
  const foot = (
    <div className="mt-auto grid gap-1 border-t border-line px-4 py-2.5">
      {member === null ? null : (
        <a
          href={hrefOf("account")}
          aria-label={`${member}: your account`}
          aria-current={page === "account" ? "page" : undefined}
          title={member}
          onClick={() => setIsMenuOpen(false)}
          className="flex min-h-8 items-center gap-2.5 truncate font-medium underline-offset-2 hover:underline aria-[current=page]:text-accent max-lg:min-h-11"
        >
          <CircleUser aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
          <span className="truncate">{member}</span>
        </a>
      )}
      <div className="flex items-center justify-between gap-2">
        <span role="status" className="flex items-center gap-2 text-xs text-muted">
          <StatusDot tone={connections[connection].tone} busy={connection !== "live"} />
          {connections[connection].words}
        </span>
        <Button look="quiet" size="sm" className="-mr-2.5" onClick={onSignOut}>
          Sign out
        </Button>
      </div>
    </div>
  );
  return (
    <div className="min-h-screen lg:grid lg:grid-cols-[14.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        onClick={(event) => {
          // The address keeps its page.
          event.preventDefault();
          main.current?.focus();
        }}
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside
        aria-label="Gleaner"
        className="sticky top-0 hidden h-screen flex-col border-r border-line bg-surface lg:flex"
      >
        <div className="px-4 pt-4 pb-3">
          <Brand organization={organization} />
        </div>
        <div className="px-2.5 pb-1">
          <SearchButton onSearch={onSearch} />
        </div>
        <Navigation {...props} />
        {foot}
      </aside>
      <header className="sticky top-0 z-10 flex h-13 items-center gap-1 border-b border-line bg-surface px-2 lg:hidden">
        <IconButton
          label="Menu"
          isOpen={isMenuOpen}
          onClick={() => setIsMenuOpen(true)}
          icon={<MenuIcon aria-hidden size={20} />}
        />
        <div className="min-w-0 flex-1">
          <Brand organization={organization} />
        </div>
        <IconButton label="Search" onClick={onSearch} icon={<Search aria-hidden size={20} />} />
      </header>
      {isMenuOpen ? (
        <Drawer label="Menu" onClose={() => setIsMenuOpen(false)}>
          <div className="flex h-13 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
            <Brand organization={organization} />
            <IconButton
              label="Close menu"
              onClick={() => setIsMenuOpen(false)}
              icon={<X aria-hidden size={20} />}
            />
          </div>
          <Navigation {...props} onNavigate={() => setIsMenuOpen(false)} />
          {foot}
        </Drawer>
      ) : null}
      <div className="min-w-0">
        {connection === "lost" ? (
          <Banner tone="bad" busy>
            The server cannot be reached. This page may be out of date. Reconnecting…
          </Banner>
        ) : null}
        <main
          ref={main}
          id="main"
          tabIndex={-1}
          className="mx-auto grid max-w-[100rem] gap-4 px-4 py-5 outline-none lg:px-7"
        >
          {page === null ? (
            <Skeleton className="h-7 w-40" />
          ) : (
            <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold outline-none">
              {label}
            </h1>
          )}
          {children}
        </main>
      </div>
    </div>
  );
}

/**
 * Keeps the tab's title, and moves the focus to the heading when another page is shown: a screen reader then reads its
 * name. The first page leaves the focus with the browser.
 */
function useHeading(page: string | null, title: string): React.RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(page);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    if (last.current === page) return;
    const isFirst = last.current === null;
    last.current = page;
    if (isFirst) return;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [page]);
  return heading;
}

function Brand({ organization }: { readonly organization: string | null }): ReactNode {
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <span className="text-accent">
        <Logo size={26} />
      </span>
      <div className="min-w-0">
        <p className="leading-4 font-semibold">Gleaner</p>
        <p className="truncate text-xs text-muted">{organization ?? " "}</p>
      </div>
    </div>
  );
}

function SearchButton({ onSearch }: { readonly onSearch: () => void }): ReactNode {
  return (
    <button
      type="button"
      onClick={onSearch}
      aria-keyshortcuts="Control+K Meta+K"
      className="flex h-8 w-full items-center gap-2.5 rounded-md border border-line px-2.5 text-muted hover:bg-sunken hover:text-ink"
    >
      <Search aria-hidden size={16} strokeWidth={1.75} className="shrink-0" />
      Search
      <kbd aria-hidden className="ml-auto font-sans text-xs text-faint">
        {isApple ? "⌘K" : "Ctrl K"}
      </kbd>
    </button>
  );
}

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

type IconButtonProps = {
  readonly label: string;
  readonly isOpen?: boolean;
  readonly icon: ReactNode;
  readonly onClick: () => void;
};

function IconButton({ label, isOpen, icon, onClick }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      aria-haspopup={isOpen === undefined ? undefined : "dialog"}
      aria-expanded={isOpen}
      onClick={onClick}
      className="grid size-11 shrink-0 place-items-center rounded-md text-muted hover:bg-sunken hover:text-ink"
    >
      {icon}
    </button>
  );
}
