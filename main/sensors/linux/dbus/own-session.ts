import type { Bus, BusObject, Properties } from "./bus.ts";
import { watchObject } from "./watch-object.ts";

const service = "org.freedesktop.login1";

export const loginManager: BusObject = {
  service,
  path: "/org/freedesktop/login1",
  interface: "org.freedesktop.login1.Manager",
};

/**
 * Watches the logind properties of this user's session. They are null while the user has no session. Returns the
 * unsubscriber.
 */
export function watchOwnSession(
  bus: Bus,
  uid: number,
  report: (properties: Properties | null) => void,
): () => void {
  let unwatch: (() => void) | null = null;
  let watched: string | null = null;
  let running = true;
  const find = async (): Promise<void> => {
    const list = await bus.call(loginManager, "ListSessions");
    const path = Array.isArray(list) ? chooseSession(list, uid) : null;
    if (!running || path === watched) return;
    watched = path;
    unwatch?.();
    unwatch = null;
    if (path === null) {
      report(null);
      return;
    }
    const session = { service, path, interface: "org.freedesktop.login1.Session" };
    unwatch = watchObject(bus, session, report);
  };
  const again = (): void => void find();
  const manager = { path: loginManager.path, interface: loginManager.interface };
  const stops = [
    bus.onSignal({ ...manager, member: "SessionNew" }, again),
    bus.onSignal({ ...manager, member: "SessionRemoved" }, again),
    bus.onLife(again),
  ];
  again();
  return () => {
    running = false;
    unwatch?.();
    for (const stop of stops) stop();
  };
}

/** Picks this user's session from logind's rows (id, user id, user name, seat, path), preferably one with a seat. */
function chooseSession(list: readonly unknown[], uid: number): string | null {
  const own = list.filter(
    (row): row is readonly [string, number, string, string, string] =>
      Array.isArray(row) && row[1] === uid && typeof row[4] === "string",
  );
  return (own.find((row) => row[3] !== "") ?? own[0])?.[4] ?? null;
}
