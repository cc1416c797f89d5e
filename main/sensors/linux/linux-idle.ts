import { getuid } from "node:process";
import { type Known, known, unknown } from "../../../app/facts/facts.ts";
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
 * Input by whatever tells of it here. Not by /dev/input, which only root may read and which would show what is typed,
 * and not by /proc/interrupts, which counts network and disks among the keyboards.
 *
 * @param shell what the shell itself knows, for desktops that nothing else tells of.
 */
export function linuxIdle(env: NodeJS.ProcessEnv, shell: IdleSensor | null): IdleSensor {
  const socket = waylandSocket(env);
  const display = env["DISPLAY"];
  const ports: IdlePort[] = [];
  if (socket !== null) ports.push(waylandIdle(socket));
  ports.push(mutterIdle(sharedBus("session", env)));
  if (display !== undefined && display !== "" && !isWayland(env)) ports.push(x11Idle(display));
  const system = sharedBus("system", env);
  const anybody = shortestIdle([...(system.isThere ? [logindIdle(system)] : []), terminalIdle()]);
  // On Wayland a shell sees the input to its own windows alone.
  const desktop = new DesktopIdle(ports, shell === null || isWayland(env) ? anybody : shell);
  return system.isThere ? shortestIdle([desktop, otherUsersIdle(system, getuid?.() ?? 0)]) : desktop;
}

export function isWayland(env: NodeJS.ProcessEnv): boolean {
  return env["XDG_SESSION_TYPE"] === "wayland" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
}

/** Of several sources that each see some of the input, the one that saw the latest. */
export function shortestIdle(sensors: readonly IdleSensor[]): IdleSensor {
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
