import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paths } from "../../../launch/core/paths.ts";
import { electronFile } from "../../../launch/donor/shell.ts";
import { electronArguments } from "./desktop.ts";

/** Code that runs before the program's. It prints each dialog in place of showing it, and presses its button. */
const printDialogs = `const { dialog } = require("electron");
  dialog.showMessageBox = async (shown) => {
    console.log("dialog " + JSON.stringify(shown));
    return { response: 0, checkboxChecked: false };
  };`;

/** Starts a program that cannot start. Resolves to the dialogs that it showed, and to its exit code. */
export async function failedStart(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly dialogs: readonly object[]; readonly code: number }> {
  const folder = await mkdtemp(join(tmpdir(), "failed-start-"));
  try {
    const first = join(folder, "print-dialogs.cjs");
    await writeFile(first, printDialogs);
    return await new Promise((resolve) => {
      execFile(
        electronFile(process.env, process.platform),
        ["-r", first, paths.desktopApp, ...electronArguments, ...args],
        { env: { ...process.env, ...env }, timeout: 60_000 },
        (error, output) => {
          const lines = output.split("\n").filter((line) => line.startsWith("dialog "));
          resolve({
            dialogs: lines.map((line) => JSON.parse(line.slice("dialog ".length)) as object),
            code: Number(error?.code ?? 0),
          });
        },
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
