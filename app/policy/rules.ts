/** What the donor (and later the organization) allows. */
export type Rules = {
  /** Off where no person sits at the machine (a server, a lab machine): idleness is then not asked for. */
  readonly requireIdle: boolean;
  /** Idle means: no input for this many seconds. */
  readonly idleAfterSeconds: number;
  readonly allowOnBattery: boolean;
  /** With battery allowed: not below this percentage. */
  readonly batteryFloorPercent: number;
  /** Hold while other programs use more than this share of the CPU (0 to 1) … */
  readonly maxOtherCpuLoad: number;
  /** … and go on only once it has stayed this much below: so that it does not flap. */
  readonly otherCpuLoadHysteresis: number;
};

export const defaultRules: Rules = {
  requireIdle: true,
  idleAfterSeconds: 120,
  allowOnBattery: false,
  batteryFloorPercent: 50,
  maxOtherCpuLoad: 0.6,
  otherCpuLoadHysteresis: 0.15,
};
