import { readdirSync, readFileSync } from "node:fs";
import type { Confinement } from "../../../../app/contract/confinement.ts";
import type { ConfinementOrder } from "../../../../app/contract/runner-start.ts";
import type { Native } from "../native.ts";
import { failureOf, makeCache, no, nothing, partly, yes } from "../report.ts";
import { ringFilter, systemCallFilter } from "./filter.ts";
import { type Kernel, linuxKernel } from "./kernel.ts";
import { graphicsDevices, mappedFiles, pathRules, type Surroundings } from "./paths.ts";
import { type Processor, processorOf } from "./system-calls.ts";

/** Tells the second start of the program which version of Landlock holds; 0 for none. */
const variable = "GLEANER_CONFINED";
const channelVariable = "NODE_CHANNEL_FD";

/** Enough for models in many pieces and for graphics drivers. */
const mostOpenFiles = 4_096;

/**
 * Confines this process. Landlock holds for one thread and those that it starts, and Node has started others already.
 * So the program restricts itself, and then replaces itself by itself: all threads of the second start are restricted.
 * The second start goes on here, and filters the system calls of all its threads.
 * @param entry the program's file.
 */
export function confineLinux(native: Native, order: ConfinementOrder, entry: string): Confinement {
  const kernel = linuxKernel(native);
  const around = surroundings(entry);
  const processor = processorOf(process.arch);
  if (processor === null) return nothing(`the system calls of ${process.arch} are not known`);
  const landlock = process.env[variable];
  if (landlock === undefined) return startAgain(kernel, processor, order, around);
  Reflect.deleteProperty(process.env, variable);
  const refused = filterSystemCalls(kernel, processor, graphicsDevices(around).cuda);
  try {
    kernel.limitOpenFiles(mostOpenFiles);
    kernel.hideMemory();
  } catch {
    // A system may forbid what a container has set. Neither is a part of its own.
  }
  return report(Number(landlock), refused);
}

/** Returns only if the second start failed. */
function startAgain(
  kernel: Kernel,
  processor: Processor,
  order: ConfinementOrder,
  around: Surroundings,
): Confinement {
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
    kernel.giveUpPrivileges();
    kernel.filterCalls(processor, ringFilter(processor));
    const version = kernel.landlockVersion();
    if (graphicsDevices(around).paths.length > 0) makeCache(order.cache);
    if (version > 0) kernel.giveUpFiles(version, pathRules(order, around));
    for (const descriptor of [0, 1, 2, Number(channel)]) kernel.keepOpen(descriptor);
    const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    kernel.become(process.execPath, args, [...env, `${variable}=${version}`]);
    return nothing("the program could not start again");
  } catch (error) {
    return nothing(`the program could not confine itself (${failureOf(error)})`);
  } finally {
    process.noAsar = false;
  }
}

/** Null if it worked, else the reason. */
function filterSystemCalls(kernel: Kernel, processor: Processor, unixSockets: boolean): string | null {
  try {
    kernel.giveUpPrivileges();
    kernel.filterCalls(processor, systemCallFilter(processor, process.pid, unixSockets));
    return null;
  } catch (error) {
    return `the kernel took no filter of system calls (${failureOf(error)})`;
  }
}

/** @param version Landlock's, 0 for none; @param refused why no system calls are refused, null if they are. */
export function report(version: number, refused: string | null): Confinement {
  const noFilter = refused ?? "";
  return [
    version === 0
      ? no("files", "this kernel has no Landlock, or it is switched off")
      : version < 3
        ? partly("files", "this kernel's Landlock cannot keep a process from cutting off files")
        : yes("files"),
    refused === null
      ? yes("network")
      : version >= 4
        ? partly("network", "only TCP is out of reach")
        : no("network", noFilter),
    refused === null ? yes("programs") : no("programs", noFilter),
    refused === null ? yes("systemCalls") : no("systemCalls", noFilter),
  ];
}

function surroundings(entry: string): Surroundings {
  return {
    execPath: process.execPath,
    entry,
    mapped: mappedFiles(readFileSync("/proc/self/maps", "utf8")),
    list: (folder) => {
      try {
        return readdirSync(folder);
      } catch {
        return [];
      }
    },
    env: process.env,
  };
}
