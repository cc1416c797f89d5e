import { useConvexConnectionState, useMutation, useQuery } from "convex/react";
import { createElement, type ReactNode, useCallback, useEffect, useState } from "react";
import { readDeviceRequest } from "../../app/enrollment.ts";
import { useEveryMs } from "../../app/people/idle.ts";
import { scopeOf } from "../../app/people/rights.ts";
import type { Role } from "../../app/people/roles.ts";
import { api } from "../../convex/_generated/api.js";
import { shownLanguage } from "../languages/choose-language.ts";
import { useNow } from "../ui/clock.ts";
import { Me, useMemberMutation, useSession } from "./data/session-context.ts";
import { ConfirmDevice } from "./enrollment/ConfirmDevice.tsx";
import { type PageProps, preloadPage, usePage } from "./page-modules.ts";
import { Keyboard, type Overlay } from "./palette/Keyboard.tsx";
import { commandRegistry, Commands } from "./palette/page-commands.ts";
import { placeOf, recentPlaces } from "./palette/recent-places.ts";
import { SecondFactorGate } from "./session/SecondFactorGate.tsx";
import { FullPage } from "./shell/FullPage.tsx";
import { PageErrors } from "./shell/PageErrors.tsx";
import { firstPage, type PageId, pagesFor } from "./shell/pages.ts";
import { PageSkeleton } from "./shell/PageSkeleton.tsx";
import { useHash, useRoute } from "./shell/route.ts";
import { type Connection, Shell } from "./shell/Shell.tsx";

const none: readonly Role[] = [];
const recent = recentPlaces(window.sessionStorage);
const registry = commandRegistry();

type Props = { readonly apiBase: string; readonly onEnd: (why: "expired" | "signed-out") => void };

export function SignedIn({ apiBase, onEnd }: Props): ReactNode {
  const session = useSession();
  const me = useQuery(api.console.account.me, { session });
  const roles = me?.member.roles ?? none;
  const isHeld = me?.needsSecondFactor === true;
  const seesEnrollment = !isHeld && scopeOf("enrollment.read", roles) !== null;
  const pending = useQuery(api.console.devices.pending, seesEnrollment ? { session } : "skip") ?? [];
  const signOut = useMutation(api.console.account.signOut);
  const [isSettingUp, setIsSettingUp] = useState(false);
  const connection = useConnection();
  const route = useRoute();
  const request = readDeviceRequest(useHash());
  const now = useNow();
  const onExpired = useCallback(() => onEnd("expired"), [onEnd]);
  const ended = me === null || (me !== undefined && me.expiresAt <= now);
  useEffect(() => {
    if (ended) onExpired();
  }, [ended, onExpired]);
  useNotedUse(session);
  const [overlay, setOverlay] = useState<Overlay>(null);
  useEffect(() => {
    const place = placeOf(route);
    if (place !== null) recent.add(place);
  }, [route]);
  if (ended) return null;
  const leave = (): void => {
    // Not awaited: signing out must work while the server is unreachable too.
    void signOut({ session }).catch(() => undefined);
    recent.clear();
    onEnd("signed-out");
  };
  if (me !== undefined && (isHeld || isSettingUp)) {
    return (
      <SecondFactorGate
        organization={me.organization.name}
        isSettingUp={isSettingUp}
        onSettingUp={setIsSettingUp}
        onSignOut={leave}
      />
    );
  }
  if (request !== null) {
    return (
      <PageErrors key={request.codeHash} place={request.codeHash} onExpired={onExpired}>
        {me === undefined ? (
          <FullPage title="Connecting…" />
        ) : (
          <Me value={me.member}>
            <ConfirmDevice request={request} organization={me.organization.name} onSignOut={leave} />
          </Me>
        )}
      </PageErrors>
    );
  }
  // Until the member is known, nothing is shown that they may have no right for.
  const visible = me === undefined ? null : pagesFor(roles);
  const page =
    visible === null ? null : (visible.find(({ id }) => id === route.page)?.id ?? firstPage(visible));
  return (
    <Shell
      page={page}
      pages={visible}
      organization={me?.organization.name ?? null}
      member={me?.member.name ?? null}
      connection={connection}
      pending={pending.length}
      onPreload={preloadPage}
      onSearch={() => setOverlay("palette")}
      onSignOut={leave}
    >
      <Me value={me?.member ?? null}>
        <Commands value={registry}>
          <PageErrors
            key={page}
            place={`${route.id ?? ""}?${route.filters.toString()}`}
            onExpired={onExpired}
          >
            {me === undefined || page === null ? (
              <PageSkeleton />
            ) : (
              <Page page={page} apiBase={apiBase} sessionId={me.sessionId} onSignOut={leave} />
            )}
          </PageErrors>
          <Keyboard
            pages={visible}
            recent={recent}
            overlay={overlay}
            onOverlay={setOverlay}
            onExpired={onExpired}
          />
        </Commands>
      </Me>
    </Shell>
  );
}

const graceMs = 2_000;

/** The connection to the backend. Interruptions below two seconds are not shown. */
function useConnection(): Connection {
  const { isWebSocketConnected, hasEverConnected } = useConvexConnectionState();
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(!isWebSocketConnected), isWebSocketConnected ? 0 : graceMs);
    return () => clearTimeout(timer);
  }, [isWebSocketConnected]);
  if (isWebSocketConnected) return "live";
  if (late) return "lost";
  return hasEverConnected ? "live" : "connecting";
}

/**
 * Tells the server every few minutes that the session is used, while the page is visible: an idle session ends. It also tells the language
 * of the page, in which the server writes mails to the member.
 */
function useNotedUse(session: string): void {
  const noteUse = useMemberMutation(api.console.account.use);
  useEffect(() => {
    const note = (): void => {
      // A session that has ended is noticed by the query about it.
      if (document.visibilityState === "visible")
        void noteUse({ session, language: shownLanguage(window) }).catch(() => undefined);
    };
    note();
    const timer = setInterval(note, useEveryMs);
    document.addEventListener("visibilitychange", note);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", note);
    };
  }, [session, noteUse]);
}

type ShownPageProps = PageProps & { readonly page: PageId };

function Page({ page, ...props }: ShownPageProps): ReactNode {
  const Content = usePage(page);
  if (Content === null) return <PageSkeleton />;
  return createElement(Content, props);
}
