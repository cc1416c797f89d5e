import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../main/store/replace-file.ts";

const DEFAULT = "http://127.0.0.1:3210";
const fileIn = (folder: string): string => join(folder, "backend-url");

/** Keeps where the backend of a data folder was started last, for the commands that look for it. */
export async function writeAddress(folder: string, url: string): Promise<void> {
  await replaceFile(fileIn(folder), `${url}\n`);
}

/** Where the backend of a data folder was started last; where it is by default, if it never was. */
export async function readAddress(folder: string): Promise<string> {
  const text = await readFile(fileIn(folder), "utf8").catch(() => "");
  return text.trim() === "" ? DEFAULT : text.trim();
}
