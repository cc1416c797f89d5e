import { execFile } from "node:child_process";

type SubprocessResult =
  | { readonly kind: "ok"; readonly stdout: string }
  | { readonly kind: "failed"; readonly why: "missing" | "timeout" | "too long" | "exit" };

type SubprocessOptions = {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** The whole environment. Without it, this process's own. */
  readonly env?: Readonly<Record<string, string>>;
};

const counts = new Map<string, number>();

/**
 * Runs a program of the system to its end, without a shell. All subprocesses that sensors start go through here, or
 * through `streamLines`, so that they are counted. Ends it after `timeoutMs` (5 s), or when it prints more than `maxBytes` (256 KiB).
 */
export function runSubprocess(
  file: string,
  args: readonly string[],
  { timeoutMs = 5_000, maxBytes = 256 * 1024, env }: SubprocessOptions = {},
): Promise<SubprocessResult> {
  countSubprocess(file);
  return new Promise((resolve) => {
    execFile(
      file,
      [...args],
      {
        timeout: timeoutMs,
        maxBuffer: maxBytes,
        killSignal: "SIGKILL",
        windowsHide: true,
        encoding: "utf8",
        env: env ?? process.env,
      },
      (error, stdout) => {
        if (error === null) resolve({ kind: "ok", stdout });
        else resolve({ kind: "failed", why: whyOf(error) });
      },
    );
  });
}

/** Counts one start of a program. */
export function countSubprocess(file: string): void {
  counts.set(file, (counts.get(file) ?? 0) + 1);
}

/** How often each program was started since this process started. */
export function subprocessCounts(): Readonly<Record<string, number>> {
  return Object.fromEntries(counts);
}

function whyOf(error: Error): Extract<SubprocessResult, { kind: "failed" }>["why"] {
  const { code, killed } = error as { code?: unknown; killed?: boolean };
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "too long";
  if (killed === true) return "timeout";
  return code === "ENOENT" || code === "EACCES" ? "missing" : "exit";
}
