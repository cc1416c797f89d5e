import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import type { Confinement } from "../../../../app/contract/confinement.ts";
import type { ConfinementOrder } from "../../../../app/contract/runner-start.ts";
import type { Native } from "../native.ts";
import { failureOf, makeCache, no, nothing, partly, yes } from "../report.ts";
import { bubblewrapArguments, tryBubblewrap } from "./bubblewrap.ts";
import { ringFilter, systemCallFilter } from "./filter.ts";
import { type Kernel, linuxKernel } from "./kernel.ts";
import { graphicsDevices, mappedFiles, type PathRule, pathRules, type Surroundings } from "./paths.ts";
import { type Processor, processorOf } from "./system-calls.ts";

/** Tells the second start how the first one has confined it. */
const variable = "GLEANER_CONFINED";
const channelVariable = "NODE_CHANNEL_FD";

/** How the first start of the program has confined the second. */
export type FirstStart = {
  /** The version of Landlock that holds; 0 for none. */
  readonly landlock: number;
  /** Why bubblewrap does not hold; null if it does. */
  readonly withoutBubblewrap: string | null;
  /** Whether there is a card for CUDA. The second start cannot list the devices. */
  readonly cuda: boolean;
};

/** Since version 3 Landlock keeps a process from cutting off files, and no part of the file system is missing. */
const completeLandlock = 3;

/** Enough for models in many pieces and for graphics drivers. */
const mostOpenFiles = 4_096;

/**
 * Confines this process. Landlock holds for one thread and those that it starts, and Node has started others already.
 * So the program restricts itself, and then replaces itself by itself: all threads of the second start are restricted.
 * Where Landlock is missing or incomplete, bubblewrap starts the second time. The second start goes on here, and
 * filters the system calls of all its threads.
 * @param entry the program's file.
 * @param mostLandlock the version of an older kernel, for tests.
 * @param list the entries of a folder. Tests add devices.
 */
export function confineLinux(
  native: Native,
  order: ConfinementOrder,
  entry: string,
  mostLandlock = Number.POSITIVE_INFINITY,
  list = entriesOf,
): Confinement {
  const kernel = linuxKernel(native);
  const processor = processorOf(process.arch);
  const variableOfFirst = process.env[variable];
  if (variableOfFirst === undefined) {
    const around = surroundings(entry, list);
    const landlock = Math.min(kernel.landlockVersion(), mostLandlock);
    return startAgain({ kernel, processor, order, around, landlock });
  }
  Reflect.deleteProperty(process.env, variable);
  const first = JSON.parse(variableOfFirst) as FirstStart;
  const refused = filterSystemCalls(kernel, processor, first.cuda);
  try {
    kernel.hideMemory();
    kernel.limitOpenFiles(mostOpenFiles);
  } catch {
    // A container may forbid either. The report has no part for them.
  }
  return report(first, refused);
}

type SecondStart = {
  readonly kernel: Kernel;
  /** Null if its system calls are not known. */
  readonly processor: Processor | null;
  readonly order: ConfinementOrder;
  readonly around: Surroundings;
  readonly landlock: number;
};

/** Returns only if the second start failed. */
function startAgain({ kernel, processor, order, around, landlock }: SecondStart): Confinement {
  // To Electron, the path of its archive is a folder.
  process.noAsar = true;
  try {
    // Node itself removed the channel's variables at its start.
    const env = readFileSync("/proc/self/environ", "utf8")
      .split("\0")
      .filter((each) => each !== "");
    const channel = env.find((each) => each.startsWith(`${channelVariable}=`))?.split("=")[1];
    // One of Electron's utility processes has another channel, which would not outlast a second start.
    if (channel === undefined) return nothing("a process without Node's own channel cannot start again");
    // A file that was open in the donor's shell could be anything.
    kernel.closeAtNextStart();
    kernel.giveUpPrivileges();
    filterRings(kernel, processor);
    const { cuda, paths } = graphicsDevices(around);
    if (paths.length > 0) makeCache(order.cache);
    const rules = pathRules(order, around);
    const own = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    const become = (args: readonly [string, ...string[]], first: FirstStart): void => {
      for (const descriptor of [0, 1, 2, Number(channel)]) kernel.keepOpen(descriptor);
      kernel.become(args[0], args, [...env, `${variable}=${JSON.stringify(first)}`]);
    };
    const bubblewrap = landlock < completeLandlock ? chooseBubblewrap(order, rules) : { without: "" };
    if ("command" in bubblewrap)
      become([...bubblewrap.command, ...own], { landlock: 0, withoutBubblewrap: null, cuda });
    else {
      // bubblewrap does this by itself, and a root's bubblewrap may need them.
      kernel.giveUpCapabilities(() => canRead([process.execPath, around.entry, ...order.read]));
      if (landlock > 0) kernel.giveUpFiles(landlock, rules);
      become([process.execPath, ...own.slice(1)], {
        landlock,
        withoutBubblewrap: bubblewrap.without,
        cuda,
      });
    }
    return nothing("the program could not start again");
  } catch (error) {
    return nothing(`the program could not confine itself (${failureOf(error)})`);
  } finally {
    process.noAsar = false;
  }
}

/** If the kernel refuses filters, the second start reports it. It allows all other calls then, so rings are no further gap. */
function filterRings(kernel: Kernel, processor: Processor | null): void {
  if (processor === null) return;
  try {
    kernel.filterCalls(processor, ringFilter(processor));
  } catch {
    // Landlock or bubblewrap confine nevertheless.
  }
}

/** A path that does not exist needs no right. */
function canRead(paths: readonly string[]): boolean {
  return paths.every((path) => {
    try {
      closeSync(openSync(path, "r"));
      return true;
    } catch (error) {
      return (error as { code?: unknown }).code !== "EACCES";
    }
  });
}

type Bubblewrap =
  | { readonly command: readonly [string, ...string[]] }
  /** The reason against it. */
  | { readonly without: string };

function chooseBubblewrap({ bubblewrap }: ConfinementOrder, rules: readonly PathRule[]): Bubblewrap {
  if (bubblewrap === null) return { without: "bubblewrap would close this gap, but is not installed" };
  const args = bubblewrapArguments(rules);
  const failure = tryBubblewrap(bubblewrap, args);
  return failure === null ? { command: [bubblewrap, ...args] } : { without: failure };
}

/** Null if it worked, else the reason. */
function filterSystemCalls(kernel: Kernel, processor: Processor | null, unixSockets: boolean): string | null {
  if (processor === null) return `the system calls of ${process.arch} are not known`;
  try {
    kernel.giveUpPrivileges();
    kernel.filterCalls(processor, systemCallFilter(processor, process.pid, unixSockets));
    return null;
  } catch (error) {
    return `the kernel took no filter of system calls (${failureOf(error)})`;
  }
}

/** @param refused why no system calls are refused, null if they are. */
export function report(
  { landlock, withoutBubblewrap }: Omit<FirstStart, "cuda">,
  refused: string | null,
): Confinement {
  const wrapped = withoutBubblewrap === null;
  const noFilter = refused ?? "";
  return [
    wrapped || landlock >= completeLandlock
      ? yes("files")
      : landlock === 0
        ? no("files", `this kernel has no Landlock, or it is switched off; ${withoutBubblewrap}`)
        : partly(
            "files",
            `this kernel's Landlock does not protect files from being cut off; ${withoutBubblewrap}`,
          ),
    wrapped || refused === null
      ? yes("network")
      : landlock >= 4
        ? partly("network", "only TCP is out of reach")
        : no("network", noFilter),
    refused === null
      ? yes("programs")
      : wrapped
        ? partly("programs", "it sees no other program, but can start itself again")
        : no("programs", noFilter),
    refused === null ? yes("systemCalls") : no("systemCalls", noFilter),
  ];
}

function surroundings(entry: string, list: Surroundings["list"]): Surroundings {
  return {
    execPath: process.execPath,
    entry,
    mapped: mappedFiles(readFileSync("/proc/self/maps", "utf8")),
    list,
    env: process.env,
  };
}

/** Empty if the folder cannot be listed. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
