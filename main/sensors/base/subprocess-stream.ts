import { spawn } from "node:child_process";
import { countSubprocess } from "./subprocess.ts";

/** A program that ended is started again after this time. */
const restartAfterMs = 60_000;
/** A longer line is cut, because no program here prints one. */
const mostCharacters = 64 * 1024;

/**
 * Runs a program of the system that prints again and again, and passes each line on. One long-lived process costs less
 * than one process per sample. A program that is missing is not tried again.
 * @returns ends the program.
 */
export function streamLines(
  file: string,
  args: readonly string[],
  onLine: (line: string) => void,
  restartMs: number = restartAfterMs,
): () => void {
  let end = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    countSubprocess(file);
    const child = spawn(file, [...args], { stdio: ["ignore", "pipe", "ignore"], windowsHide: true });
    let rest = "";
    let missing = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = (lines.pop() ?? "").slice(0, mostCharacters);
      for (const line of lines) onLine(line);
    });
    child.once("error", () => (missing = child.pid === undefined));
    child.once("close", () => {
      if (!missing) timer = setTimeout(begin, restartMs);
    });
    end = () => {
      child.removeAllListeners("close");
      child.stdout.removeAllListeners("data");
      child.kill("SIGKILL");
    };
  };
  begin();
  return () => {
    clearTimeout(timer);
    end();
  };
}
