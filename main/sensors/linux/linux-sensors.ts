import { getuid } from "node:process";
import type { OwnMemory } from "../memory.ts";
import { linuxMemorySensor } from "../memory.ts";
import { networkNamesSensor } from "../network-names.ts";
import { nvidiaSensor } from "../nvidia.ts";
import type { Sensor } from "../sensor.ts";
import { sharedBus } from "./buses.ts";
import { cameraSensor } from "./camera.ts";
import { displayPowerSensor, graphicsSensor, type OwnGpuUse } from "./graphics.ts";
import { acpiLidSensor } from "./lid.ts";
import { isWayland } from "./linux-idle.ts";
import { logindSensor } from "./logind.ts";
import { microphoneSensor } from "./microphone.ts";
import { mprisSensor } from "./mpris.ts";
import { networkManagerSensor } from "./network-manager.ts";
import { powerSupplySensor } from "./power-supply.ts";
import { linuxProcessesSensor } from "./processes.ts";
import { screenSaverSensor } from "./screen-saver.ts";
import { thermalSensor } from "./thermal.ts";
import { upowerSensor } from "./upower.ts";
import { x11ScreenSensor } from "./x11-screen.ts";

export type OwnUse = { readonly memory: OwnMemory; readonly gpu: OwnGpuUse };

/** Linux' sources: what comes by signals before what has to be asked for. */
export function linuxSensors(env: NodeJS.ProcessEnv, own: OwnUse): readonly Sensor[] {
  const system = sharedBus("system", env);
  const session = sharedBus("session", env);
  const display = env["DISPLAY"];
  // Under Wayland the X server knows its own windows alone.
  const x11 = display === undefined || display === "" || isWayland(env) ? [] : [x11ScreenSensor(display)];
  return [
    ...(system.isThere
      ? [upowerSensor(system), logindSensor(system, getuid?.() ?? 0), networkManagerSensor(system)]
      : []),
    ...(session.isThere ? [screenSaverSensor(session), mprisSensor(session)] : []),
    ...x11,
    powerSupplySensor(),
    acpiLidSensor(),
    displayPowerSensor(),
    thermalSensor(),
    linuxMemorySensor(own.memory),
    graphicsSensor(own.gpu),
    nvidiaSensor(own.gpu),
    cameraSensor(),
    microphoneSensor(),
    linuxProcessesSensor(),
    networkNamesSensor(),
  ];
}
