import { closeSync, fstatSync, openSync, readdirSync } from "node:fs";
import type { Native } from "../native.ts";
import { ruleOf, rulesetOf } from "./landlock.ts";
import { mustStayOpen, type PathRule } from "./paths.ts";
import { callsOf, type Processor } from "./system-calls.ts";

const numbers = { createRuleset: 444, addRule: 445, restrictSelf: 446 } as const;
const setNoNewPrivileges = 38;
const setDumpable = 4;
const limits = { core: 4, openFiles: 7 } as const;
const openPath = 0o10_000_000;
const setDescriptorFlags = 2;
const closeOnExec = 1;
/** Of linux/capability.h and linux/prctl.h. The rights of a root are numbered from 0 to 63 at most. */
const capabilities = {
  version: 0x2008_0522,
  dropBounding: 24,
  readAll: 2,
  setPermitted: 8,
  most: 63,
} as const;

/** The calls to Linux by which a process confines itself. Each throws if the kernel refuses. */
export type Kernel = ReturnType<typeof linuxKernel>;

export function linuxKernel({ open, errno, koffi }: Native) {
  const libc = open(null);
  const bytes = libc.func("long syscall(long, void *, unsigned long, unsigned long)") as SystemCall;
  const numeric = libc.func("syscall", "long", ["long", "long", "long", "void *", "long"]) as SystemCall;
  const prctl = libc.func(
    "int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)",
  ) as Call;
  const fcntl = libc.func("int fcntl(int, int, int)") as Call;
  const setrlimit = libc.func("int setrlimit(int, void *)") as SystemCall;
  const capget = libc.func("int capget(void *, void *)") as SystemCall;
  const capset = libc.func("int capset(void *, void *)") as SystemCall;
  const execve = libc.func("int execve(const char *, const char **, const char **)") as Execve;
  koffi.struct("sock_fprog", { length: "unsigned short", filter: "void *" });
  const seccomp = libc.func("long syscall(long, long, long, sock_fprog *)") as Seccomp;

  function check(result: number, step: string): number {
    if (result < 0) throw new Error(`${step}: error ${errno()}`);
    return result;
  }

  return {
    /** The kernel's version of Landlock; 0 if it has none, or if it is switched off. */
    landlockVersion: () => Math.max(0, Number(bytes(numbers.createRuleset, null, 0, 1))),
    /**
     * Gives up all access to files that no rule allows, and TCP, abstract Unix sockets and signals to others. Holds for
     * this thread, for the threads that it starts, and for the program by which it replaces itself. A path that does not
     * exist is skipped.
     */
    giveUpFiles(version: number, rules: readonly PathRule[]): void {
      const attributes = rulesetOf(version);
      const ruleset = check(
        Number(bytes(numbers.createRuleset, attributes, attributes.length, 0)),
        "landlock_create_ruleset",
      );
      for (const rule of rules) {
        const descriptor = openIfThere(rule.path);
        if (descriptor === null) continue;
        const isFolder = fstatSync(descriptor).isDirectory();
        const attributes = ruleOf(version, rule.access, isFolder, descriptor);
        check(Number(numeric(numbers.addRule, ruleset, 1, attributes, 0)), `landlock_add_rule ${rule.path}`);
        if (mustStayOpen(rule)) fcntl(descriptor, setDescriptorFlags, 0);
        else closeSync(descriptor);
      }
      check(Number(numeric(numbers.restrictSelf, ruleset, 0, null, 0)), "landlock_restrict_self");
      closeSync(ruleset);
    },
    /** No program that it starts gets more rights than it has. */
    giveUpPrivileges: () => check(prctl(setNoNewPrivileges, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS"),
    /**
     * Gives up the rights of a root, in this thread and in the program by which it replaces itself. Without them a root
     * is a user with the number 0, who cannot read other people's private folders.
     * @param canRead whether all that the program reads is in reach without these rights. If not, the right to read stays.
     */
    giveUpCapabilities(canRead: () => boolean): void {
      const header = Buffer.alloc(8);
      header.writeUInt32LE(capabilities.version);
      const held = Buffer.alloc(24);
      if (Number(capget(header, held)) < 0) return;
      const permitted = held.readUInt32LE(4);
      // Two words of 12 bytes: effective, permitted, inheritable.
      held.writeUInt32LE(permitted & (1 << capabilities.setPermitted), 0);
      held.fill(0, 8, 16);
      // A container may forbid it. The other restrictions hold nevertheless.
      if (Number(capset(header, held)) < 0) return;
      const kept = canRead() ? 0 : 1 << capabilities.readAll;
      for (let right = 0; right <= capabilities.most; right++) {
        // Only a root may, and the kernel has fewer rights than that.
        if (kept !== 1 << right) prctl(capabilities.dropBounding, right, 0, 0, 0);
      }
      held.fill(0);
      held.writeUInt32LE(permitted & kept, 0);
      held.writeUInt32LE(permitted & kept, 4);
      check(Number(capset(header, held)), "capset");
    },
    /** Other programs of this user cannot read its memory, and a crash leaves no image of it. */
    hideMemory(): void {
      check(prctl(setDumpable, 0, 0, 0, 0), "PR_SET_DUMPABLE");
      // At 0 the kernel still passes dumps on to a program such as systemd-coredump (fs/coredump.c).
      limit(limits.core, 1);
    },
    limitOpenFiles: (count: number) => limit(limits.openFiles, count),
    /** Refuses system calls in all threads of this process, and in later ones. */
    filterCalls(processor: Processor, filter: Buffer): void {
      const number = callsOf(processor).checked.seccomp;
      const program = { length: filter.length / 8, filter };
      // SECCOMP_SET_MODE_FILTER with SECCOMP_FILTER_FLAG_TSYNC. It returns the id of a thread that cannot have it.
      const result = check(Number(seccomp(number, 1, 1, program)), "seccomp");
      if (result > 0) throw new Error(`seccomp: thread ${result} has another filter`);
    },
    /** The next program that replaces this one inherits no file that is open now. Node's own files are so already. */
    closeAtNextStart(): void {
      for (const name of readdirSync("/proc/self/fd")) fcntl(Number(name), setDescriptorFlags, closeOnExec);
    },
    /** The next program that replaces this one inherits the open file. */
    keepOpen: (descriptor: number) => check(fcntl(descriptor, setDescriptorFlags, 0), "F_SETFD"),
    /** Replaces this program, and keeps its process. Returns only if the kernel refuses. */
    become(path: string, args: readonly string[], env: readonly string[]): void {
      check(execve(path, [...args, null], [...env, null]), "execve");
    },
  };

  function limit(resource: number, value: number): void {
    const both = Buffer.alloc(16);
    both.writeBigUInt64LE(BigInt(value), 0);
    both.writeBigUInt64LE(BigInt(value), 8);
    check(Number(setrlimit(resource, both)), "setrlimit");
  }
}

type Call = (...args: readonly number[]) => number;
type SystemCall = (...args: readonly (number | Buffer | null)[]) => number | bigint;
type Seccomp = (
  number: number,
  operation: number,
  flags: number,
  program: { readonly length: number; readonly filter: Buffer },
) => number | bigint;
type Execve = (path: string, args: readonly (string | null)[], env: readonly (string | null)[]) => number;

function openIfThere(path: string): number | null {
  try {
    return openSync(path, openPath);
  } catch {
    return null;
  }
}
