import { getuid } from "node:process";
import type { Log } from "../../log.ts";
import type { OwnGpuUse, OwnMemory } from "../base/own-use.ts";
import type { Sensor } from "../base/sensor.ts";
import { linuxMemorySensor } from "../common/memory.ts";
import { networkNamesSensor } from "../common/network-names.ts";
import { drmMeter } from "../gpu/drm.ts";
import { gpuSensor } from "../gpu/gpu-sensor.ts";
import { nvidiaMeter } from "../gpu/nvidia.ts";
import { sharedBus } from "./dbus/buses.ts";
import { logindSensor } from "./dbus/logind.ts";
import { mprisSensor } from "./dbus/mpris.ts";
import { networkManagerSensor } from "./dbus/network-manager.ts";
import { screenSaverSensor } from "./dbus/screen-saver.ts";
import { upowerSensor } from "./dbus/upower.ts";
import { cameraSensor } from "./files/camera.ts";
import { displayPowerSensor } from "./files/display-power.ts";
import { acpiLidSensor } from "./files/lid.ts";
import { microphoneSensor } from "./files/microphone.ts";
import { powerSupplySensor } from "./files/power-supply.ts";
import { linuxProcessesSensor } from "./files/processes.ts";
import { thermalSensor } from "./files/thermal.ts";
import { isWayland } from "./linux-idle.ts";
import { x11ScreenSensor } from "./x11/x11-screen.ts";

type OwnUse = { readonly memory: OwnMemory; readonly gpu: OwnGpuUse };

/** The sources on Linux. Those with signals come before those that are polled. */
export function linuxSensors(env: NodeJS.ProcessEnv, own: OwnUse, log: Log): readonly Sensor[] {
  const system = sharedBus("system", env, log);
  const session = sharedBus("session", env, log);
  const display = env["DISPLAY"];
  // Under Wayland, the X server knows only its own windows.
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
    gpuSensor([nvidiaMeter(own.gpu), drmMeter(own.gpu)]),
    cameraSensor(),
    microphoneSensor(),
    linuxProcessesSensor(),
    networkNamesSensor(),
  ];
}
