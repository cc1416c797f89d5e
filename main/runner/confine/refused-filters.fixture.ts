import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assemble, give, ifEqual, label, load, seccompData } from "./linux/bpf.ts";
import { verdicts } from "./linux/filter.ts";
import { linuxKernel } from "./linux/kernel.ts";
import { callsOf, processorOf } from "./linux/system-calls.ts";
import { native } from "./native.ts";

/** Becomes a runner where the kernel takes no filters of system calls, as in some containers. */
const calls = native();
const processor = processorOf(process.arch);
if (calls === null || processor === null) throw new Error("this test needs native calls");
const kernel = linuxKernel(calls);
kernel.giveUpPrivileges();
kernel.filterCalls(
  processor,
  assemble([
    load(seccompData.number),
    ifEqual(callsOf(processor).checked.seccomp, "deny"),
    give(verdicts.allow),
    label("deny"),
    give(verdicts.deny),
  ]),
);
const env = readFileSync("/proc/self/environ", "utf8").split("\0").filter(Boolean);
const channel = env.find((each) => each.startsWith("NODE_CHANNEL_FD="))?.split("=")[1];
kernel.keepOpen(Number(channel));
const runner = fileURLToPath(new URL("../runner-process.ts", import.meta.url));
kernel.become(process.execPath, [process.execPath, runner], env);
