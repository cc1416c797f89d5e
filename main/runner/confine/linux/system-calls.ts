import { deniedCalls, type Numbers } from "./denied-calls.ts";

/** Makers of sockets. NVIDIA's driver for CUDA makes a Unix socket at its start, and needs none. */
const socketCalls = {
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
} as const satisfies Readonly<Record<string, Numbers>>;

/** The calls that are allowed or refused by their arguments. */
const checkedCalls = {
  socket: [41, 198],
  connect: [42, 203],
  kill: [62, 129],
  tgkill: [234, 131],
  prlimit64: [302, 261],
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  fcntl: [72, 25],
  prctl: [157, 167],
  seccomp: [317, 277],
} as const satisfies Readonly<Record<string, Numbers>>;

/** AUDIT_ARCH of linux/audit.h. */
const processors = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
} as const;

export type Processor = keyof typeof processors;

/** Null for a processor whose numbers are not listed. */
export function processorOf(arch: string): Processor | null {
  return arch === "x64" || arch === "arm64" ? arch : null;
}

export function callsOf(processor: Processor) {
  const { audit, column } = processors[processor];
  const numbersOf = (calls: Readonly<Record<string, Numbers>>): readonly number[] =>
    Object.values(calls).flatMap((numbers) => numbers[column] ?? []);
  const checked = Object.fromEntries(
    Object.entries(checkedCalls).map(([name, numbers]) => [name, numbers[column]]),
  ) as Readonly<Record<keyof typeof checkedCalls, number>>;
  return {
    audit,
    denied: numbersOf(deniedCalls),
    sockets: numbersOf(socketCalls),
    checked,
    ringSetup: deniedCalls.io_uring_setup[column],
  };
}
