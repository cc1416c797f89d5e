import { execFile } from "node:child_process";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { electronFolder } from "../../../launch/donor/shell.ts";
import { packProgram } from "../../../scripts/package/pack-program.ts";
import { electronArguments } from "./desktop.ts";

const run = promisify(execFile);

/** Packs the program with this source of updates. Returns its folder. */
export async function packWithUpdates(output: string, updates: object): Promise<string> {
  const program = await packProgram(electronFolder(process.env), output);
  await writeFile(join(program, "resources/updates.json"), JSON.stringify(updates));
  return program;
}

/** The same program with another version of as many characters. The files that differ are copies, the others are links. */
export async function withVersion(program: string, version: string, folder: string): Promise<string> {
  await run("cp", ["-al", program, folder]);
  const archive = join(folder, "resources/app.asar");
  const bytes = await readFile(archive);
  const own = Buffer.from('"name": "gleaner",\n  "version": "');
  const at = bytes.indexOf(own) + own.length;
  const end = bytes.indexOf('"', at);
  if (at < own.length || end - at !== version.length) {
    throw new Error(`${archive} has no version as long as ${version}.`);
  }
  bytes.write(version, at);
  await rm(archive);
  await writeFile(archive, bytes);
  return folder;
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
