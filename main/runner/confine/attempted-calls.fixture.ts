import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { dirname } from "node:path";
import koffi from "koffi";

export type Attempts = Readonly<Record<string, () => unknown>>;

/** The files and the process that the calls are tried on. */
type Targets = {
  readonly secret: string;
  readonly model: string;
  readonly outside: string;
  readonly otherPid: number;
};

/** Numbers of Linux on x64 and arm64; null if that processor has no such call. */
const numbers = {
  ptrace: [101, 117],
  kill: [62, 129],
  process_vm_readv: [310, 270],
  io_uring_setup: [425, 425],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  keyctl: [250, 219],
  unshare: [272, 97],
  perf_event_open: [298, 241],
  clone: [56, 220],
  execve: [59, 221],
  pidfd_open: [434, 434],
  mount: [165, 40],
  chmod: [90, null],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  lchown: [94, null],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  utimensat: [280, 88],
  mknodat: [259, 33],
  getxattr: [191, 8],
  listxattr: [194, 11],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  removexattr: [197, 14],
  setxattrat: [463, 463],
  file_setattr: [469, 469],
  inotify_init1: [294, 26],
  inotify_add_watch: [254, 27],
  fanotify_init: [300, 262],
  ioctl: [16, 29],
  fcntl: [72, 25],
  sched_setaffinity: [203, 122],
  sched_setscheduler: [144, 119],
  sched_setparam: [142, 118],
  sched_setattr: [314, 274],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  setsid: [112, 157],
  prctl: [157, 167],
  shmctl: [31, 195],
  semctl: [66, 191],
  msgctl: [71, 187],
} as const;
type Name = keyof typeof numbers;

type SystemCall = (number: number, ...args: readonly (number | string)[]) => number | bigint;

/** Each system call under its name, with the error's code in the error that it throws. */
export function systemCalls(at: Targets): Attempts {
  const libc = koffi.load(null);
  const numeric = libc.func("long syscall(long, long, long, long, long, long, long)") as SystemCall;
  const ofPath = libc.func("syscall", "long", ["long", "str", "str", "str", "long", "long", "long"]);
  const below = libc.func("syscall", "long", ["long", "long", "str", "long", "long", "long", "long"]);

  function attempt(call: SystemCall, name: Name, args: readonly (number | string)[], blank: number | null) {
    const number = numbers[name][process.arch === "arm64" ? 1 : 0];
    const filled = Array.from({ length: 6 }, (_, index) => args[index] ?? (index < 3 ? blank : 0) ?? null);
    return (): void => {
      // A call that does not exist cannot succeed.
      const result = number === null ? -1 : Number(call(number, ...(filled as number[])));
      if (result !== -1) return;
      throw refusal(number === null ? "EPERM" : codeOf(koffi.errno()));
    };
  }
  const plain = (name: Name, ...args: readonly number[]) => attempt(numeric, name, args, 0);
  const path = (name: Name, ...args: readonly (string | number)[]) =>
    attempt(ofPath as SystemCall, name, args, null);
  const relative = (name: Name, ...args: readonly (string | number)[]) =>
    attempt(below as SystemCall, name, [currentFolder, ...args], 0);
  const opened = (file: string, name: Name, ...args: readonly number[]) => {
    return () => {
      const descriptor = openSync(file, "r");
      try {
        plain(name, descriptor, ...args)();
      } finally {
        closeSync(descriptor);
      }
    };
  };
  const { otherPid: pid, secret } = at;
  return {
    // None does harm where it is allowed: 0x4200 sets options of a process that is not traced, signal 0 only asks,
    // 0x800 is no valid flag by itself. 0x10000000 is CLONE_NEWUSER.
    ptrace: plain("ptrace", 0x4200, pid),
    kill: plain("kill", pid, 0),
    killEverything: plain("kill", -1, 0),
    processVmReadv: plain("process_vm_readv", pid),
    pidfdOpen: plain("pidfd_open", pid),
    ioUring: plain("io_uring_setup", 8, 0),
    bpf: plain("bpf", 0, 0, 0),
    userfaultfd: plain("userfaultfd", 1),
    keyctl: plain("keyctl", 0, -3, 0),
    unshare: plain("unshare", 0x10000000),
    perfEventOpen: plain("perf_event_open", 0, 0, -1, -1, 0),
    mount: plain("mount", 0, 0, 0, 0, 0),
    clone: plain("clone", 0x800),
    execve: plain("execve", 0, 0, 0),
    // The attributes of files. Nothing else keeps a process from changing those of its user's files.
    fchmodat: relative("fchmodat", secret, 0o4755),
    fchmodat2: relative("fchmodat2", secret, 0o4755),
    fchownat: relative("fchownat", secret, process.getuid?.() ?? 0, process.getgid?.() ?? 0),
    utimensat: relative("utimensat", secret),
    mknodat: relative("mknodat", at.outside, namedPipe | 0o600),
    fileSetAttributes: relative("file_setattr", secret),
    utime: path("utime", secret),
    utimes: path("utimes", secret),
    getAttribute: path("getxattr", secret, "user.gleaner"),
    listAttributes: path("listxattr", secret),
    setAttribute: path("setxattr", secret, "user.gleaner", "x", 1, 0),
    setAttributeOfLink: path("lsetxattr", secret, "user.gleaner", "x", 1, 0),
    setAttributeAt: relative("setxattrat", secret),
    removeAttribute: path("removexattr", secret, "user.gleaner"),
    setFileFlags: opened(at.model, "ioctl", fileFlags),
    // News about other programs' files.
    inotifyInit: plain("inotify_init1", 0),
    inotifyAdd: plain("inotify_add_watch", -1, 0, 0),
    fanotifyInit: plain("fanotify_init", 0, 0),
    notifyOfFolder: opened(dirname(at.model), "fcntl", fileCommands.notify, 0x100),
    lease: opened(at.model, "fcntl", fileCommands.setLease, 0),
    signalByFile: opened(at.model, "fcntl", fileCommands.setOwner, pid),
    chooseSignal: opened(at.model, "fcntl", fileCommands.setSignal, 9),
    signalByFileToo: opened(at.model, "ioctl", setOwnerByIoctl),
    // The processor's time of other processes, and its own beyond what the donor gave. Missing arguments are invalid.
    affinity: plain("sched_setaffinity", pid, 0, 0),
    ownAffinity: plain("sched_setaffinity", 0, 0, 0),
    scheduler: plain("sched_setscheduler", pid, 0, 0),
    ownScheduler: plain("sched_setscheduler", 0, 0, 0),
    schedulerParameter: plain("sched_setparam", pid, 0),
    schedulerAttributes: plain("sched_setattr", pid, 0, 0),
    priority: plain("setpriority", 0, pid, 0),
    // Of a user without processes.
    priorityOfUser: plain("setpriority", 2, 0x7fff_fffe, 0),
    ioPriority: plain("ioprio_set", 1, pid, 0),
    session: plain("setsid"),
    coreScheduling: plain("prctl", 62, 0, pid, 0, 0),
    // Number -1 is nobody's: where the call is allowed, it is invalid. 0 removes.
    removeSharedMemory: plain("shmctl", -1, 0, 0),
    removeSemaphores: plain("semctl", -1, 0, 0),
    removeMessages: plain("msgctl", -1, 0, 0),
  };
}

/** AT_FDCWD: relative paths begin at the current folder. */
const currentFolder = -100;
/** S_IFIFO */
const namedPipe = 0o010000;
/** FS_IOC_SETFLAGS and FIOSETOWN */
const fileFlags = 0x4008_6602;
const setOwnerByIoctl = 0x8901;
const fileCommands = { setOwner: 8, setSignal: 10, setLease: 1_024, notify: 1_026 } as const;

export function refusal(code: string): Error {
  return Object.assign(new Error("refused"), { code });
}

function codeOf(number: number): string {
  return Object.entries(constants.errno).find(([, value]) => value === number)?.[0] ?? String(number);
}
