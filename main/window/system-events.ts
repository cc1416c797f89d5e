import { powerMonitor } from "electron";
import type { SystemEvent, SystemEvents } from "../sensors/sources/shell-sensor.ts";

/** What Electron hears of the system. On Linux it neither hears of the lock nor of the mains reliably: D-Bus does. */
export function electronSystemEvents(platform: NodeJS.Platform): SystemEvents {
  const tells = platform !== "linux";
  return {
    source: "Electron's powerMonitor",
    isLocked: tells ? () => powerMonitor.getSystemIdleState(1) === "locked" : null,
    isOnBattery: tells ? () => powerMonitor.isOnBatteryPower() : null,
    thermal: platform === "darwin" ? () => powerMonitor.getCurrentThermalState() : null,
    on: (event, listener) => {
      const name = electronName(event);
      // Electron declares each event by an overload of its own.
      const emitter: NodeJS.EventEmitter = powerMonitor;
      emitter.on(name, listener);
      return () => emitter.removeListener(name, listener);
    },
  };
}

function electronName(event: SystemEvent): string {
  switch (event) {
    case "lock":
      return "lock-screen";
    case "unlock":
      return "unlock-screen";
    case "ac":
      return "on-ac";
    case "battery":
      return "on-battery";
    default:
      return event;
  }
}
