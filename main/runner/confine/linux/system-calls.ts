/** Numbers of system calls on x64 and arm64; null if that processor has no such call. */
type Numbers = readonly [x64: number | null, arm64: number | null];

/**
 * The system calls that a runner never needs. With them it could reach other programs, the network or the kernel's rarely
 * used parts. The channel to the donor and all files that llama.cpp needs work without them.
 */
const deniedCalls = {
  execve: [59, 221],
  execveat: [322, 281],
  fork: [57, null],
  vfork: [58, null],
  connect: [42, 203],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  kcmp: [312, 272],
  tkill: [200, 130],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  personality: [135, 92],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  vhangup: [153, 58],
  uselib: [134, null],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  msgget: [68, 186],
  semget: [64, 190],
  shmget: [29, 194],
  shmat: [30, 196],
} as const satisfies Readonly<Record<string, Numbers>>;

/** Makers of sockets. NVIDIA's driver for CUDA makes a Unix socket at its start, but connects to none. */
const socketCalls = {
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
} as const satisfies Readonly<Record<string, Numbers>>;

/** The calls that are allowed or refused by their arguments. */
const checkedCalls = {
  socket: [41, 198],
  kill: [62, 129],
  tgkill: [234, 131],
  prlimit64: [302, 261],
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
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
