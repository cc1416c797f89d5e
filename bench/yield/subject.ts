import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Deployment, DonorProcess } from "../../main/deployment.fixture.ts";
import { desktopShell } from "../support/display.ts";

const awaySeconds = "9999";
/** The shortest value that a donor may set. */
const shortestIdleSeconds = 10;
/** With one thread a donor would run one job at a time. */
const several = { GLEANER_SEQUENCES: "4" };

/** A donor, and its simulated person. */
export type Subject = {
  readonly donor: DonorProcess;
  /** Simulates input. Returns its time, of `performance.now()`. */
  readonly comeBack: () => Promise<number>;
  readonly goAway: () => Promise<void>;
  /** The donor's shortest wait after its person leaves. */
  readonly idleAfterMs: number;
  /** Ends the simulation of input. */
  readonly close: () => void;
};

/** Without a desktop. A file gives the seconds since the last input. */
export async function headlessSubject(
  deployment: Deployment,
  name: string,
  modelWarmSeconds: number,
): Promise<Subject> {
  const donor = await deployment.startDonor(name, Number(awaySeconds), undefined, {
    rules: { modelWarmSeconds },
    env: several,
  });
  return {
    donor,
    comeBack: async () => {
      const at = performance.now();
      await donor.setIdle(0);
      return at;
    },
    goAway: () => donor.setIdle(Number(awaySeconds)),
    idleAfterMs: 0,
    close: () => undefined,
  };
}

/** The desktop program on a private X server with a moving pointer. */
export async function desktopSubject(
  deployment: Deployment,
  name: string,
  modelWarmSeconds: number,
  display: string,
): Promise<Subject> {
  const shell = desktopShell(display);
  if (shell.kind === "headless") throw new Error(`No desktop program, because ${shell.because}.`);
  const donor = await deployment.startDonor(name, 0, undefined, {
    rules: { modelWarmSeconds, idleAfterSeconds: shortestIdleSeconds },
    electron: { command: shell.electron, args: shell.args },
    env: { ...several, DISPLAY: display, XDG_SESSION_TYPE: "x11" },
  });
  // It runs each line that it reads. A program that starts for each input would start late while all cores are busy.
  const pointer = spawn("xdotool", ["-"], {
    env: { ...process.env, DISPLAY: display },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = Promise.race([once(pointer, "error"), once(pointer, "exit")]).then((): never => {
    throw new Error("xdotool has ended.");
  });
  ended.catch(() => undefined);
  pointer.stdin.on("error", () => undefined);
  let way = 1;
  return {
    donor,
    comeBack: () => {
      if (pointer.exitCode !== null) return ended;
      way = -way;
      const at = performance.now();
      pointer.stdin.write(`mousemove_relative -- ${7 * way} 5\n`);
      return Promise.resolve(at);
    },
    goAway: () => Promise.resolve(),
    idleAfterMs: shortestIdleSeconds * 1_000,
    close: () => pointer.stdin.end(),
  };
}
