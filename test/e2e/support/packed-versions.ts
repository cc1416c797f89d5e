import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { electronFolder } from "../../../launch/donor/shell.ts";
import { packProgram } from "../../../scripts/package/pack-program.ts";
import { electronArguments } from "./desktop.ts";

/** Packs the program with this source of updates. Returns its folder. */
export async function packWithUpdates(output: string, updates: object): Promise<string> {
  const program = await packProgram(electronFolder(process.env), output);
  await writeFile(join(program, "resources/updates.json"), JSON.stringify(updates));
  return program;
}

/**
 * An AppImage of a packed program, as far as the program can tell: one file that starts it from a folder and names itself. The
 * tools that make a real one cannot be had without GitHub.
 */
export async function makeAppImage(path: string, program: string): Promise<void> {
  await writeScript(path, [
    `export APPIMAGE="$(readlink -f "$0")" APPDIR="${program}"`,
    `exec "$APPDIR/gleaner-desktop" ${electronArguments.join(" ")} "$@"`,
  ]);
}

/** A version that ends at once with an error. It counts its starts in a file beside it. */
export async function makeBrokenAppImage(path: string, starts: string): Promise<void> {
  await writeScript(path, [`echo started >> "${starts}"`, "exit 3"]);
}

async function writeScript(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(path, ["#!/bin/sh", ...lines, ""].join("\n"));
  await chmod(path, 0o755);
}
