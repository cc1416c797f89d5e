import type { DpmsExtension, Property } from "x11";
import { known, unknown } from "../../../../app/facts/facts.ts";
import type { Found, Sensor } from "../../base/sensor.ts";
import { ask, openX11, type X11 } from "./x11-client.ts";

const lookAgainMs = 60_000;

/**
 * Whether the active window fills the screen, and whether the screen is off. The server sends events for the window.
 * The screen's power has no event and is polled.
 */
export function x11ScreenSensor(display: string): Sensor {
  let connection: Promise<Screen | null> | null = null;
  let reportFound = (_found: Found): void => undefined;
  const open = (): Promise<Screen | null> =>
    (connection ??= openScreen(
      display,
      (found) => reportFound(found),
      () => (connection = null),
    ));
  return {
    source: "the X server",
    facts: ["fullScreen", "displayOff"],
    everyMs: lookAgainMs,
    sample: async () => {
      const screen = await open();
      if (screen === null) {
        // The next sample tries again, because a display may start later.
        connection = null;
        return { fullScreen: unknown, displayOff: unknown };
      }
      return screen.look();
    },
    follow: (report) => {
      reportFound = report;
      return () => {
        reportFound = () => undefined;
        const closing = connection;
        connection = null;
        void closing?.then((screen) => screen?.close());
      };
    },
  };
}

type Screen = { readonly look: () => Promise<Found>; readonly close: () => void };

type Atoms = { readonly active: number; readonly state: number; readonly fullScreen: number };

async function openScreen(
  display: string,
  report: (found: Found) => void,
  onLost: () => void,
): Promise<Screen | null> {
  const x = await openX11(display, () => {
    onLost();
    report({ fullScreen: unknown, displayOff: unknown });
  });
  if (x === null) return null;
  const atoms = await internAtoms(x);
  if (atoms === null) {
    x.client.terminate();
    return null;
  }
  const { eventMask } = await import("x11");
  const dpms = await ask<DpmsExtension>((reply) => x.client.require("dpms", reply));
  const watch = (window: number): Promise<unknown> =>
    ask((reply) => x.client.ChangeWindowAttributes(window, { eventMask: eventMask.PropertyChange }, reply));
  const watched = new Set<number>();
  const lookAtWindow = async (): Promise<Found> => {
    const active = firstWord(await property(x, x.root, atoms.active));
    // Without a window manager, the active window is unknown.
    if (active === null) return { fullScreen: unknown };
    if (active === 0) return { fullScreen: known(false) };
    if (!watched.has(active)) {
      // Keeps the set small over weeks. Watching a window again costs nothing.
      if (watched.size > 1_000) watched.clear();
      watched.add(active);
      await watch(active);
    }
    const states = words((await property(x, active, atoms.state))?.data ?? Buffer.alloc(0));
    return { fullScreen: known(states.includes(atoms.fullScreen)) };
  };
  x.client.on("event", (event: { readonly name?: string; readonly atom?: number }) => {
    if (event.name !== "PropertyNotify") return;
    if (event.atom !== atoms.active && event.atom !== atoms.state) return;
    void lookAtWindow().then(report);
  });
  await watch(x.root);
  return {
    look: async () => ({ ...(await lookAtWindow()), displayOff: await displayOff(dpms) }),
    close: () => x.client.terminate(),
  };
}

async function internAtoms({ client }: X11): Promise<Atoms | null> {
  const atom = (name: string): Promise<number | null> =>
    ask<number>((reply) => client.InternAtom(false, name, reply));
  const active = await atom("_NET_ACTIVE_WINDOW");
  const state = await atom("_NET_WM_STATE");
  const fullScreen = await atom("_NET_WM_STATE_FULLSCREEN");
  return active === null || state === null || fullScreen === null ? null : { active, state, fullScreen };
}

function property({ client }: X11, window: number, atom: number): Promise<Property | null> {
  const anyType = 0;
  const longestWords = 256;
  return ask<Property>((reply) => client.GetProperty(0, window, atom, anyType, 0, longestWords, reply));
}

function firstWord(found: Property | null): number | null {
  return words(found?.data ?? Buffer.alloc(0))[0] ?? null;
}

/** A property of 32-bit words. */
function words(data: Buffer): readonly number[] {
  return Array.from({ length: Math.floor(data.length / 4) }, (_, index) => data.readUInt32LE(index * 4));
}

/** DPMS level 0 is on; standby, suspend and off are all dark. */
async function displayOff(dpms: DpmsExtension | null): Promise<Found["displayOff"] & object> {
  const info = dpms === null ? null : await ask<readonly [number, number]>((reply) => dpms.Info(reply));
  return info === null ? unknown : known(info[1] !== 0 && info[0] !== 0);
}
