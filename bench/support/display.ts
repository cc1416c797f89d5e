import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { chooseShell, type Shell } from "../../launch/donor/shell.ts";

/** The reason that the desktop program cannot be measured here, as the end of a sentence; null if it can. */
export function missingForDesktop(): string | null {
  const shell = desktopShell(":0");
  if (shell.kind === "headless") return shell.because;
  const missing = ["Xvfb", "xdotool"].find(
    (program) => spawnSync(program, ["-version"], { stdio: "ignore", timeout: 10_000 }).error !== undefined,
  );
  return missing === undefined ? null : `${missing} is not installed`;
}

/** Electron with the arguments that it needs on such a display. */
export function desktopShell(display: string): Shell {
  const root = process.getuid?.() === 0;
  const args = [process.env["GLEANER_ELECTRON_ARGS"] ?? "", root ? "--no-sandbox" : "", "--disable-gpu"];
  const shell = chooseShell({
    ...process.env,
    DISPLAY: display,
    GLEANER_ELECTRON_ARGS: args.filter(Boolean).join(" "),
  });
  if (shell.kind !== "lacks-electron") return shell;
  const because = "Electron is not installed (to install it: npx install-electron)";
  return { kind: "headless", because, attended: true };
}

export type Display = { readonly name: string; readonly close: () => Promise<void> };

/** An X server without a screen, on a free display. */
export async function openDisplay(): Promise<Display> {
  const server = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const failed = once(server, "error").then(([error]) => Promise.reject(error as Error));
  const said = once(createInterface({ input: server.stdout }), "line") as Promise<[string]>;
  const [number] = await Promise.race([said, failed]);
  return {
    name: `:${number.trim()}`,
    close: async () => {
      server.kill("SIGTERM");
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    },
  };
}
