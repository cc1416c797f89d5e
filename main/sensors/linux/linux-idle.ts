import { getuid } from "node:process";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
import type { Log } from "../../log.ts";
import type { IdleSensor } from "../base/idle.ts";
import { sharedBus } from "./dbus/buses.ts";
import { DesktopIdle } from "./idle/desktop-idle.ts";
import type { IdlePort } from "./idle/idle-port.ts";
import { logindIdle } from "./idle/logind-idle.ts";
import { mutterIdle } from "./idle/mutter-idle.ts";
import { otherUsersIdle } from "./idle/other-users-idle.ts";
import { terminalIdle } from "./idle/terminals.ts";
import { waylandIdle, waylandSocket } from "./idle/wayland-idle.ts";
import { x11Idle } from "./idle/x11-idle.ts";

/**
 * Idle time from the sources that exist here. Does not use /dev/input, because only root may read it and it reveals
 * what is typed. Does not use /proc/interrupts, because it cannot separate keyboards from network and disks.
 *
 * @param shell the shell's own sensor, for desktops that no other source covers.
 */
export function linuxIdle(env: NodeJS.ProcessEnv, shell: IdleSensor | null, log: Log): IdleSensor {
  const socket = waylandSocket(env);
  const display = env["DISPLAY"];
  const ports: IdlePort[] = [];
  if (socket !== null) ports.push(waylandIdle(socket));
  ports.push(mutterIdle(sharedBus("session", env, log)));
  if (display !== undefined && display !== "" && !isWayland(env)) ports.push(x11Idle(display));
  const system = sharedBus("system", env, log);
  const anybody = shortestIdle([...(system.isThere ? [logindIdle(system)] : []), terminalIdle()]);
  // On Wayland, a shell sees only the input to its own windows.
  const desktop = new DesktopIdle(ports, shell === null || isWayland(env) ? anybody : shell);
  return system.isThere ? shortestIdle([desktop, otherUsersIdle(system, getuid?.() ?? 0)]) : desktop;
}

export function isWayland(env: NodeJS.ProcessEnv): boolean {
  return env["XDG_SESSION_TYPE"] === "wayland" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
}

/** Each source sees only some of the input. The one with the latest input counts. */
function shortestIdle(sensors: readonly IdleSensor[]): IdleSensor {
  const knowing = (): readonly IdleSensor[] => sensors.filter((sensor) => sensor.sample().known);
  return {
    source: () => {
      const asked = knowing();
      return (asked.length === 0 ? sensors : asked).map((sensor) => sensor.source()).join(", ");
    },
    sample: (): Known<number> => {
      const seconds = sensors.flatMap((sensor) => {
        const value = sensor.sample();
        return value.known ? [value.value] : [];
      });
      return seconds.length === 0 ? unknown : known(Math.min(...seconds));
    },
    isPolled: () => sensors.some((sensor) => sensor.isPolled()),
    onInput: (listener) => {
      const stops = sensors.map((sensor) => sensor.onInput?.(listener));
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    start: (changed) => {
      for (const sensor of sensors) sensor.start?.(changed);
    },
    stop: () => {
      for (const sensor of sensors) sensor.stop?.();
    },
  };
}
