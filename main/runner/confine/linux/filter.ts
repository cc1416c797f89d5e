import { and, assemble, give, ifAtLeast, ifEqual, label, load, seccompData } from "./bpf.ts";
import { callsOf, type Processor } from "./system-calls.ts";

/** Return values of a filter (linux/seccomp.h). A refused call fails with an error, with which libraries cope. */
export const verdicts = {
  allow: 0x7fff_0000,
  deny: 0x0005_0000 | 1,
  noFile: 0x0005_0000 | 2,
  unknownCall: 0x0005_0000 | 38,
} as const;

const cloneThread = 0x1_0000;
const socketTypes = { mask: 0xf, stream: 1, seqpacket: 5 } as const;
const unixFamily = 1;
/** Commands of ioctl(2): two type into a terminal as if a person did, two choose who gets a file's signals. */
const deniedCommands = [0x5412, 0x541c, 0x8901, 0x8902] as const;
/**
 * The letters of file systems in such commands: all of them ("f", "X", "v"), FAT, btrfs, Ceph, bcachefs and f2fs. They
 * change a file's flags or make and remove volumes, and Landlock has no right for them. No graphics driver uses these.
 */
const fileSystemLetters = { mask: 0xff00, values: [0x66, 0x58, 0x76, 0x72, 0x94, 0x97, 0xbc, 0xf5] } as const;
/** Of fcntl(2): F_SETOWN, F_SETSIG and F_SETOWN_EX send signals to others, F_SETLEASE delays them, F_NOTIFY watches. */
const deniedFileCommands = [8, 10, 15, 1_024, 1_026] as const;
/** PR_SCHED_CORE of prctl(2) chooses which processes share a processor's core. */
const coreScheduling = 62;
/** Numbers of x64's other calling convention, x32. */
const x32Bit = 0x4000_0000;

/**
 * Only refuses to make rings of io_uring, whose requests no filter sees. Node has made one at its start, and would end
 * if that fell silent. So this filter comes before Node's second start, which then makes none.
 */
export function ringFilter(processor: Processor): Buffer {
  return assemble([
    load(seccompData.number),
    ifEqual(callsOf(processor).ringSetup, "deny"),
    give(verdicts.allow),
    label("deny"),
    give(verdicts.deny),
  ]);
}

/**
 * The filter of a runner's system calls, as the kernel reads it.
 * @param pid the runner's own process: the only one to which it may send signals.
 * @param unixSockets whether it may make Unix sockets. It can connect none of them: CUDA asks for a server that most
 *   computers do not have, and goes on if there is no such file.
 */
export function systemCallFilter(processor: Processor, pid: number, unixSockets: boolean): Buffer {
  const { audit, denied, sockets, checked } = callsOf(processor);
  const { argument } = seccompData;
  return assemble([
    load(seccompData.architecture),
    ifEqual(audit, undefined, "deny"),
    load(seccompData.number),
    ifAtLeast(x32Bit, "deny"),
    ...[...denied, ...(unixSockets ? [] : sockets)].map((number) => ifEqual(number, "deny")),
    ifEqual(checked.socket, unixSockets ? "socket" : "deny"),
    ifEqual(checked.connect, unixSockets ? "no file" : "deny"),
    ifEqual(checked.kill, "own process"),
    ifEqual(checked.tgkill, "own process"),
    ifEqual(checked.prlimit64, "own limits"),
    ifEqual(checked.clone, "clone"),
    // Its flags are behind a pointer. The C library then calls `clone`.
    ifEqual(checked.clone3, "unknown call"),
    ifEqual(checked.ioctl, "ioctl"),
    ifEqual(checked.fcntl, "fcntl"),
    ifEqual(checked.prctl, "prctl"),
    give(verdicts.allow),
    label("own limits"),
    load(argument(0)),
    ifEqual(0, "allow"),
    label("own process"),
    load(argument(0)),
    ifEqual(pid, "allow", "deny"),
    label("clone"),
    load(argument(0)),
    and(cloneThread),
    ifEqual(0, "deny", "allow"),
    label("ioctl"),
    load(argument(1)),
    ...deniedCommands.map((command) => ifEqual(command, "deny")),
    and(fileSystemLetters.mask),
    ...fileSystemLetters.values.map((letter) => ifEqual(letter << 8, "deny")),
    give(verdicts.allow),
    label("fcntl"),
    load(argument(1)),
    ...deniedFileCommands.map((command) => ifEqual(command, "deny")),
    give(verdicts.allow),
    label("prctl"),
    load(argument(0)),
    ifEqual(coreScheduling, "deny", "allow"),
    label("socket"),
    load(argument(0)),
    ifEqual(unixFamily, undefined, "deny"),
    load(argument(1)),
    and(socketTypes.mask),
    ifEqual(socketTypes.stream, "allow"),
    ifEqual(socketTypes.seqpacket, "allow", "deny"),
    label("allow"),
    give(verdicts.allow),
    label("deny"),
    give(verdicts.deny),
    label("no file"),
    give(verdicts.noFile),
    label("unknown call"),
    give(verdicts.unknownCall),
  ]);
}
