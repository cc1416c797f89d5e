import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { autostartEntry } from "./autostart-entry.ts";
import { autostartFile, autostartPath } from "./autostart-file.ts";
import { startCommand } from "./start-command.ts";

const command = ["/opt/Gleaner/gleaner-desktop", "--hidden"] as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-autostart-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("is a file in the folder that the desktop reads", () => {
  expect(autostartPath({}, "/home/ada", null)).toBe("/home/ada/.config/autostart/gleaner.desktop");
  expect(autostartPath({ XDG_CONFIG_HOME: "" }, "/home/ada", null)).toMatch(/^\/home\/ada\/\.config\//);
  expect(autostartPath({ XDG_CONFIG_HOME: "rel" }, "/home/ada", null)).toMatch(/^\/home\/ada\/\.config\//);
  expect(autostartPath({ XDG_CONFIG_HOME: "/c" }, "/home/ada", null)).toBe("/c/autostart/gleaner.desktop");
  expect(autostartPath({}, "/h", "/a")).not.toBe(autostartPath({}, "/h", "/b"));
});

it("is written with its folders, found, turned off by others, replaced and removed", async () => {
  const path = autostartPath({ XDG_CONFIG_HOME: join(folder, "config") }, folder, null);
  const item = autostartFile(path, command);
  expect(await item.find()).toBe("absent");
  await item.add();
  expect(await item.find()).toBe("on");
  expect(await readFile(path, "utf8")).toBe(autostartEntry(command));
  await appendFile(path, "Hidden=true\n");
  expect(await item.find()).toBe("off");
  await item.add();
  expect(await item.find()).toBe("on");
  await item.remove();
  expect(await item.find()).toBe("absent");
  await item.remove();
  expect(await readdir(join(folder, "config/autostart"))).toEqual([]);
});

it("tells why it cannot be written", async () => {
  await writeFile(join(folder, "config"), "a file");
  const path = autostartPath({ XDG_CONFIG_HOME: join(folder, "config") }, folder, null);
  await expect(autostartFile(path, command).add()).rejects.toMatchObject({ code: "ENOTDIR" });
});

const installed = { execPath: "/opt/Gleaner/gleaner-desktop", checkout: null, dataFolder: null, env: {} };

it("starts the installed program, or a checkout in its Electron, with its own data folder", () => {
  expect(startCommand(installed)).toEqual(["/opt/Gleaner/gleaner-desktop", "--hidden"]);
  expect(startCommand({ ...installed, execPath: "/e", checkout: "/src", dataFolder: "/d" })).toEqual([
    "/e",
    "/src",
    "--hidden",
    "--data",
    "/d",
  ]);
});

it("starts the AppImage that the program runs from, and not that of another program", () => {
  const env = { APPIMAGE: "/home/ada/Gleaner.AppImage", APPDIR: "/tmp/.mount_Gleane1" };
  const mounted = { ...installed, execPath: "/tmp/.mount_Gleane1/gleaner-desktop", env };
  expect(startCommand(mounted)[0]).toBe("/home/ada/Gleaner.AppImage");
  expect(startCommand({ ...installed, env })[0]).toBe(installed.execPath);
  expect(startCommand({ ...mounted, env: { APPIMAGE: env.APPIMAGE } })[0]).toBe(mounted.execPath);
});
