import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

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
