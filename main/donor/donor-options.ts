import type { ModelFile } from "../../app/contract/runner.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { Log } from "../log.ts";
import type { OwnCpuTime } from "../sensors/cpu-load.ts";
import type { IdleSensor } from "../sensors/idle.ts";
import type { Sensor } from "../sensors/sensor.ts";
import type { SpawnRunner } from "../supervisor/process/runner-child.ts";

export type DonorOptions = {
  /** The donor's own folder: device.json and settings.json live there. */
  readonly dataDir: string;
  readonly backendUrl: string;
  /** What the organization calls this device. */
  readonly name: string;
  readonly version: string;
  readonly shell: DonorSnapshot["shell"];
  readonly spawnRunner: SpawnRunner;
  readonly idle: IdleSensor;
  /** Sources of facts that only the shell has: asked before all others. */
  readonly shellSensors?: readonly Sensor[];
  /** CPU time of this program and its runner, where the shell knows it: asked on other systems than Linux. */
  readonly ownCpuTime?: OwnCpuTime;
  /** Model files that came with the program. */
  readonly bundledModels: readonly ModelFile[];
  /** This start's own defaults, e.g. `requireIdle: false` for a machine at which nobody sits. */
  readonly baseRules?: Partial<Rules>;
  readonly webSocketConstructor?: typeof WebSocket;
  readonly log: Log;
  readonly onQuit: () => void;
};
