import type { Log } from "../log.ts";
import { systemProgram } from "../system-programs.ts";
import { type IdleSensor, unknownIdle } from "./base/idle.ts";
import { type OwnCpuTime, ownGpuUse, runnerMemory } from "./base/own-use.ts";
import type { Sensor } from "./base/sensor.ts";
import { cpuLoadSensor } from "./common/cpu-load.ts";
import { diskSensor } from "./common/disk.ts";
import { macMemorySensor, windowsMemorySensor } from "./common/memory.ts";
import { networkNamesSensor } from "./common/network-names.ts";
import { gpuSensor } from "./gpu/gpu-sensor.ts";
import { macMeter } from "./gpu/macos-clients.ts";
import { nvidiaMeter } from "./gpu/nvidia.ts";
import { windowsMeter } from "./gpu/windows-engines.ts";
import { linuxIdle } from "./linux/linux-idle.ts";
import { linuxSensors } from "./linux/linux-sensors.ts";
import { macBatterySensor } from "./macos/battery.ts";
import { macLidSensor } from "./macos/lid.ts";
import { macProcessesSensor } from "./macos/processes.ts";
import { windowsBatterySensor } from "./windows/battery.ts";
import { consentStoreSensor } from "./windows/consent-store.ts";
import { networkProfileSensor } from "./windows/network-profile.ts";
import { windowsProcessesSensor } from "./windows/processes.ts";

type PlatformOptions = {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The disk that holds the models. */
  readonly dataDir: string;
  readonly ownCpuTime: OwnCpuTime;
  readonly runnerPid: () => number | undefined;
  /** Facts that only the shell reports. Asked first. */
  readonly shell: readonly Sensor[];
  readonly log: Log;
};

/** All sources on this platform. For each fact, the best source comes first. */
export function platformSensors(options: PlatformOptions): readonly Sensor[] {
  const everywhere = [cpuLoadSensor(options.ownCpuTime), diskSensor(options.dataDir)];
  return [...options.shell, ...ownSensors(options), ...everywhere];
}

function ownSensors({ platform, env, runnerPid, log }: PlatformOptions): readonly Sensor[] {
  const memory = runnerMemory(runnerPid);
  const gpu = ownGpuUse(runnerPid);
  switch (platform) {
    case "linux":
      return linuxSensors(env, { memory, gpu }, log);
    case "darwin":
      return [
        macBatterySensor,
        macLidSensor,
        macMemorySensor(memory),
        macProcessesSensor,
        // Only the GPU of Apple's own processors is used.
        ...(process.arch === "arm64" ? [gpuSensor([macMeter(gpu)], true)] : []),
        networkNamesSensor(),
      ];
    case "win32":
      return [
        windowsBatterySensor,
        windowsMemorySensor(memory),
        gpuSensor([windowsMeter(gpu)]),
        gpuSensor([nvidiaMeter(gpu, { program: systemProgram("nvidia-smi", platform), shares: false })]),
        consentStoreSensor,
        windowsProcessesSensor,
        networkProfileSensor(),
        networkNamesSensor(),
      ];
    default:
      return [networkNamesSensor()];
  }
}

/** @param shell the shell's idle sensor; null without a desktop. */
export function platformIdle(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  shell: IdleSensor | null,
  log: Log,
): IdleSensor {
  return platform === "linux" ? linuxIdle(env, shell, log) : (shell ?? unknownIdle);
}
