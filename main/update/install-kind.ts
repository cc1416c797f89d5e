import { constants, existsSync } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { UpdatesOff } from "../../app/contract/updates.ts";

/** How this program was installed, if it can replace itself: an AppImage, by NSIS for one user, or a bundle of macOS. */
type InstallKind =
  | { readonly kind: "appimage"; readonly file: string }
  | { readonly kind: "nsis" }
  | { readonly kind: "bundle" };

type Off = { readonly kind: "off"; readonly why: UpdatesOff };

type Program = {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly execPath: string;
  readonly resources: string;
  readonly isPackaged: boolean;
  /** Another program starts this one. */
  readonly withParent: boolean;
};

/**
 * Finds how the program was installed. Packages of deb, rpm, msi and pkg, and every program that its user cannot write, are
 * updated by whoever installed them.
 */
export async function installKind(program: Program): Promise<InstallKind | Off> {
  const { platform, env, execPath, resources, isPackaged, withParent } = program;
  if (!isPackaged || withParent) return off("not-installed");
  // electron-builder writes it into packages of deb, rpm and pacman.
  if ((await packageType(resources)) !== null || env["SNAP"] !== undefined || env["FLATPAK_ID"] !== undefined)
    return off("managed");
  switch (platform) {
    case "linux": {
      const { APPIMAGE: file, APPDIR: folder } = env;
      if (!file || !folder || !execPath.startsWith(folder)) return off("not-installed");
      return (await canWrite(dirname(file))) ? { kind: "appimage", file } : off("managed");
    }
    case "win32": {
      const folder = dirname(execPath);
      // An msi has no uninstaller of its own. Programs for all users need an administrator.
      const isOfUser =
        existsSync(join(folder, "Uninstall Gleaner.exe")) && isBelow(folder, env["LOCALAPPDATA"]);
      return isOfUser ? { kind: "nsis" } : off("managed");
    }
    case "darwin": {
      const bundle = join(resources, "../..");
      return (await canWrite(bundle)) ? { kind: "bundle" } : off("managed");
    }
    default:
      return off("not-installed");
  }
}

function off(why: UpdatesOff): Off {
  return { kind: "off", why };
}

async function packageType(resources: string): Promise<string | null> {
  return await readFile(join(resources, "package-type"), "utf8").catch(() => null);
}

async function canWrite(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

function isBelow(folder: string, parent: string | undefined): boolean {
  return parent !== undefined && parent !== "" && folder.toLowerCase().startsWith(parent.toLowerCase());
}
