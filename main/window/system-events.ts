import { powerMonitor } from "electron";
import type { SystemEvent, SystemEvents } from "../sensors/common/shell-sensor.ts";

/** Electron's system events. On Linux it reports neither the lock nor the power source reliably: D-Bus does. */
export function electronSystemEvents(platform: NodeJS.Platform): SystemEvents {
  const tells = platform !== "linux";
  return {
    source: "Electron's powerMonitor",
    isLocked: tells ? () => powerMonitor.getSystemIdleState(1) === "locked" : null,
    isOnBattery: tells ? () => powerMonitor.isOnBatteryPower() : null,
    thermal: platform === "darwin" ? () => powerMonitor.getCurrentThermalState() : null,
    on: (event, listener) => {
      const name = electronName(event);
      // Electron declares a separate overload for each event.
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
