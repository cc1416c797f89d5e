import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { confinementVariable } from "../../../app/contract/runner-start.ts";
import { landlockVariable } from "../../runner/confine/landlock-of-test.fixture.ts";
import { runnerEntry } from "../../runner/runner.fixture.ts";
import { bubblewrap, withoutBubblewrap } from "./bubblewrap.fixture.ts";
import { runnerWrapper } from "./fork-runner.ts";

const at = (path: URL): string => fileURLToPath(path);
const donor = at(new URL("./orphan.fixture.ts", import.meta.url));
const olderKernel = at(new URL("../../runner/confine/older-kernel.fixture.ts", import.meta.url));
const deaf = at(new URL("./deaf-runner.fixture.ts", import.meta.url));

/** Starts a donor with a runner and kills the donor. Returns the runner's process id. */
async function orphan(entry: string, env: Readonly<Record<string, string>> = {}): Promise<number> {
  const parent = spawn(process.execPath, [donor, entry, JSON.stringify(env)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const { pid } = JSON.parse(line) as { pid: number };
  expect(isThere(pid)).toBe(true);
  // The deaf runner needs a moment to enter its native call.
  await sleep(300);
  parent.kill("SIGKILL");
  return pid;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const polling = { timeout: 60_000, interval: 20 };

it("ends the runner when the donor is killed", async () => {
  const pid = await orphan(runnerEntry);
  await vi.waitFor(() => expect(isThere(pid)).toBe(false), polling);
});

const bound = runnerWrapper().some((each) => each.endsWith("/setpriv"));
it.runIf(bound)("ends a runner even in the middle of a native call", async () => {
  const pid = await orphan(deaf);
  await vi.waitFor(() => expect(isThere(pid)).toBe(false), polling);
});

it.runIf(withoutBubblewrap === "")(
  `ends a runner in bubblewrap when the donor is killed${withoutBubblewrap}`,
  async () => {
    const order = confinementVariable({ read: [], cache: null, bubblewrap, off: false });
    const pid = await orphan(olderKernel, { ...order, ...landlockVariable(0) });
    await vi.waitFor(() => expect(isThere(pid)).toBe(false), polling);
  },
);
