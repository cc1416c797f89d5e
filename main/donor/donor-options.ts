import type { Reply } from "../../app/contract/donor-calls.ts";
import type { Departure } from "../../app/contract/leaving.ts";
import type { ModelFile } from "../../app/contract/runner.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { GivenTrust } from "../connection/trust.ts";
import type { Log } from "../log.ts";
import type { IdleSensor } from "../sensors/base/idle.ts";
import type { OwnCpuTime } from "../sensors/base/own-use.ts";
import type { Sensor } from "../sensors/base/sensor.ts";
import type { SpawnRunner } from "../supervisor/process/runner-child.ts";
import type { KeyVault } from "./organization/key-vault.ts";

export type DonorOptions = {
  /** The donor's data folder. It contains device.json and settings.json. */
  readonly dataDir: string;
  readonly backend: GivenTrust;
  /** The device's name in the organization. */
  readonly name: string;
  readonly version: string;
  /** The newer version that was rolled back here. None by default. */
  readonly rolledBackVersion?: string | null;
  readonly shell: DonorSnapshot["shell"];
  /** Whether the shell can start the program when its user logs in. False by default. */
  readonly canStartAtLogin?: boolean;
  /** The system's keychain. Null if this shell cannot use it: then the device's keys are plain in their file. */
  readonly keyVault: KeyVault | null;
  readonly spawnRunner: SpawnRunner;
  readonly idle: IdleSensor;
  /** Sensors that only the shell can provide. They precede all others. */
  readonly shellSensors?: readonly Sensor[];
  /** CPU time of this program and its runner, if the shell knows it. Linux does not need it. */
  readonly ownCpuTime?: OwnCpuTime;
  /** Model files that ship with the program. */
  readonly bundledModels: readonly ModelFile[];
  /** Defaults of this start, e.g. `requireIdle: false` for an unattended machine. */
  readonly baseRules?: Partial<Rules>;
  /** The settings that the management of this computer gives. None by default. */
  readonly managed?: Pick<ManagedSettings, "rules" | "requireKeychain">;
  readonly log: Log;
  readonly onQuit: () => void;
  /** Installs a new version that is ready. Absent where the shell does not update itself. */
  readonly restartToUpdate?: () => Reply;
  /** This computer has left its organization. The shell has to stop the donor. */
  readonly onLeft: (departure: Departure) => void;
};
