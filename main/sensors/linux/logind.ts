import { known, unknown } from "../../../app/policy/facts.ts";
import type { Found, Sensor } from "../sensor.ts";
import type { Bus, BusObject, Properties } from "./bus.ts";
import { watchObject } from "./watch-object.ts";

const service = "org.freedesktop.login1";

export const loginManager: BusObject = {
  service,
  path: "/org/freedesktop/login1",
  interface: "org.freedesktop.login1.Manager",
};

/** Lock and sleep by the signals of systemd-logind; the lid is asked for, since logind does not tell of it. */
export function logindSensor(bus: Bus, uid: number): Sensor {
  return {
    source: "systemd-logind",
    facts: ["locked", "suspended", "lidClosed"],
    everyMs: 60_000,
    sample: async () => readManager(await bus.properties(loginManager)),
    follow: (tell) => {
      let unwatchSession: (() => void) | null = null;
      let watched: string | null = null;
      let running = true;
      const findSession = async (): Promise<void> => {
        const path = await sessionPath(bus, uid);
        if (!running || path === watched) return;
        watched = path;
        unwatchSession?.();
        unwatchSession = null;
        if (path === null) {
          tell({ locked: unknown });
          return;
        }
        const session = { service, path, interface: "org.freedesktop.login1.Session" };
        unwatchSession = watchObject(bus, session, (properties) => tell(readSession(properties)));
      };
      const again = (): void => void findSession();
      const manager = { path: loginManager.path, interface: loginManager.interface };
      const stops = [
        bus.onSignal({ ...manager, member: "PrepareForSleep" }, ([goes]) => {
          if (typeof goes === "boolean") tell({ suspended: known(goes) });
        }),
        bus.onSignal({ ...manager, member: "SessionNew" }, again),
        bus.onSignal({ ...manager, member: "SessionRemoved" }, again),
        bus.onLife(again),
      ];
      again();
      return () => {
        running = false;
        unwatchSession?.();
        for (const stop of stops) stop();
      };
    },
  };
}

/** The session of this user at the screen; null where there is none, as for a service before anybody logged in. */
async function sessionPath(bus: Bus, uid: number): Promise<string | null> {
  const list = await bus.call(loginManager, "ListSessions");
  return Array.isArray(list) ? chooseSession(list, uid) : null;
}

/** Out of logind's (id, user id, user name, seat, path): of this user, and rather one that has a seat. */
export function chooseSession(list: readonly unknown[], uid: number): string | null {
  const own = list.filter(
    (row): row is readonly [string, number, string, string, string] =>
      Array.isArray(row) && row[1] === uid && typeof row[4] === "string",
  );
  return (own.find((row) => row[3] !== "") ?? own[0])?.[4] ?? null;
}

export function readSession(properties: Properties | null): Found {
  const locked = properties?.["LockedHint"];
  return { locked: typeof locked === "boolean" ? known(locked) : unknown };
}

export function readManager(properties: Properties | null): Found {
  const closed = properties?.["LidClosed"];
  const sleeps = properties?.["PreparingForSleep"];
  return {
    // A computer without a lid says that it is open.
    lidClosed: typeof closed === "boolean" ? known(closed) : unknown,
    suspended: typeof sleeps === "boolean" ? known(sleeps) : unknown,
  };
}
