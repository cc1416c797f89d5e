import { and, assemble, give, ifAtLeast, ifEqual, label, load, seccompData } from "./bpf.ts";
import { callsOf, type Processor } from "./system-calls.ts";

/** Return values of a filter (linux/seccomp.h). A refused call fails with an error, with which libraries cope. */
export const verdicts = { allow: 0x7fff_0000, deny: 0x0005_0000 | 1, unknownCall: 0x0005_0000 | 38 } as const;

const cloneThread = 0x1_0000;
const socketTypes = { mask: 0xf, stream: 1, seqpacket: 5 } as const;
const unixFamily = 1;
/** Commands that type into a terminal, as if a person did. */
const terminalInput = [0x5412, 0x541c] as const;
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
 * @param unixSockets whether it may make Unix sockets. It can connect none of them.
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
    ifEqual(checked.kill, "own process"),
    ifEqual(checked.tgkill, "own process"),
    ifEqual(checked.prlimit64, "own limits"),
    ifEqual(checked.clone, "clone"),
    // Its flags are behind a pointer. The C library then calls `clone`.
    ifEqual(checked.clone3, "unknown call"),
    ifEqual(checked.ioctl, "ioctl"),
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
    ...terminalInput.map((command) => ifEqual(command, "deny")),
    give(verdicts.allow),
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
    label("unknown call"),
    give(verdicts.unknownCall),
  ]);
}
