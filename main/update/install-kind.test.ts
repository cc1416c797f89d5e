import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { installKind } from "./install-kind.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-install-"));
  await mkdir(join(folder, "resources"));
});
afterEach(async () => {
  await chmod(folder, 0o755);
  await rm(folder, { recursive: true });
});

const program = (changed: Partial<Parameters<typeof installKind>[0]> = {}) => ({
  platform: "linux" as const,
  env: { APPIMAGE: join(folder, "Gleaner.AppImage"), APPDIR: join(folder, "mount") },
  execPath: join(folder, "mount/gleaner-desktop"),
  resources: join(folder, "resources"),
  isPackaged: true,
  withParent: false,
  ...changed,
});

it("finds an AppImage that its user can replace", async () => {
  expect(await installKind(program())).toEqual({ kind: "appimage", file: join(folder, "Gleaner.AppImage") });
});

it("leaves packages of deb, rpm and pacman to the package manager", async () => {
  for (const type of ["deb", "rpm", "pacman"]) {
    await writeFile(join(folder, "resources/package-type"), type);
    expect(await installKind(program())).toEqual({ kind: "off", why: "managed" });
  }
});

it.each(["SNAP", "FLATPAK_ID"])("leaves stores to themselves: %s", async (name) => {
  const { env } = program();
  expect(await installKind(program({ env: { ...env, [name]: "x" } }))).toEqual({
    kind: "off",
    why: "managed",
  });
});

it("leaves an AppImage in a folder that its user cannot write to others", async () => {
  const env = { ...program().env, APPIMAGE: "/nowhere/Gleaner.AppImage" };
  expect(await installKind(program({ env }))).toEqual({ kind: "off", why: "managed" });
});

it("does not replace an AppImage that only started this program", async () => {
  const execPath = "/usr/lib/electron/electron";
  expect(await installKind(program({ execPath }))).toEqual({ kind: "off", why: "not-installed" });
  expect(await installKind(program({ env: {} }))).toEqual({ kind: "off", why: "not-installed" });
});

it("does not update a checkout, or what another program starts", async () => {
  const off = { kind: "off", why: "not-installed" };
  expect(await installKind(program({ isPackaged: false }))).toEqual(off);
  expect(await installKind(program({ withParent: true }))).toEqual(off);
});

it("takes only Windows programs of one user that NSIS installed", async () => {
  const windows = { platform: "win32", execPath: join(folder, "Gleaner.exe") } as const;
  const own = program({ ...windows, env: { LOCALAPPDATA: tmpdir() } });
  // As an msi leaves it.
  expect(await installKind(own)).toEqual({ kind: "off", why: "managed" });
  await writeFile(join(folder, "Uninstall Gleaner.exe"), "");
  expect(await installKind(own)).toEqual({ kind: "nsis" });
  expect(await installKind({ ...own, env: { LOCALAPPDATA: "/elsewhere" } })).toMatchObject({
    why: "managed",
  });
});

it("takes only bundles of macOS that their user can write", async () => {
  const mac = program({
    platform: "darwin",
    env: {},
    resources: join(folder, "Gleaner.app/Contents/Resources"),
  });
  expect(await installKind(mac)).toEqual({ kind: "off", why: "managed" });
  await mkdir(mac.resources, { recursive: true });
  expect(await installKind(mac)).toEqual({ kind: "bundle" });
});
