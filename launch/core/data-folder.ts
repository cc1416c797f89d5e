import { chmod, mkdir, readFile, statfs } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { formatBytes } from "../../app/format/quantity.ts";
import { parseJson } from "../../app/json.ts";
import type { Id } from "../../convex/_generated/dataModel.js";
import type { Pin } from "../../main/connection/pin.ts";
import { replaceFile } from "../../main/store/replace-file.ts";
import { LaunchError } from "./launch-error.ts";

/** `npm start` keeps this between runs. It is written last and atomically: if it exists, setup is complete. */
const installationSchema = z.object({
  version: z.literal(1),
  organizationId: z.custom<Id<"organizations">>((value) => typeof value === "string" && value !== ""),
  organizationName: z.string().min(1),
  /** The first requester's key, kept so that the printed curl line works every time. */
  apiKey: z.string().min(1),
});

export type Installation = z.infer<typeof installationSchema>;

export type DataFolder = {
  readonly path: string;
  readonly dataFile: string;
  readonly adminKeyFile: string;
  /** The secret that signs the catalogs. It is not in the database, so a backup does not contain it. */
  readonly signingKeyFile: string;
  /** The key of secrets that others gave the organization, such as those of sign-in providers. A backup does not contain it. */
  readonly secretsKeyFile: string;
  /** The key of the keys that encrypt prompts and answers. It may be on another disk. A backup does not contain it. */
  readonly dataKeyFile: string;
  /** The certificate for other computers, and its key. */
  readonly tlsFolder: string;
  readonly donorFolder: string;
  readonly logFolder: string;
  /** Node's cache of compiled code. */
  readonly compileCache: string;
};

/** Makes the folder and those inside, readable only by their owner. Throws a LaunchError if it cannot be made or written. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const folder: DataFolder = {
    path,
    dataFile: join(path, "backend.sqlite"),
    adminKeyFile: join(path, "admin-key"),
    signingKeyFile: join(path, "signing-key"),
    secretsKeyFile: join(path, "secrets-key"),
    dataKeyFile: process.env["GLEANER_DATA_KEY_FILE"] ?? join(path, "data-key"),
    tlsFolder: join(path, "tls"),
    donorFolder: join(path, "donor"),
    logFolder: join(path, "logs"),
    compileCache: join(path, "compiled"),
  };
  try {
    for (const each of [path, folder.donorFolder, folder.logFolder, folder.compileCache]) {
      await mkdir(each, { recursive: true, mode: 0o700 });
      // An older Gleaner made some of them readable for all users.
      await chmod(each, 0o700);
    }
  } catch (error) {
    throw new LaunchError(
      `The data folder ${path} cannot be used: ${(error as Error).message}.`,
      "Set GLEANER_DATA to a folder that you can write to, and start again.",
    );
  }
  return folder;
}

/** A first start writes 12 MB. The rest is for the requests of its first hours. */
const leastRoomBytes = 32_000_000;

/** Refuses a start that would soon end with a full disk. Throws a LaunchError. */
export async function requireRoom({ path }: DataFolder): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const room = bavail * bsize;
  if (room >= leastRoomBytes) return;
  throw new LaunchError(
    `The disk of ${path} has ${formatBytes(room)} left, and Gleaner needs at least ${formatBytes(leastRoomBytes)}.`,
    "Free some space, or set GLEANER_DATA to a folder on another disk, and start again.",
  );
}

/** The finished installation. Null if setup is not complete yet. The caller then completes it. */
export async function readInstallation(folder: DataFolder): Promise<Installation | null> {
  const file = join(folder.path, "installation.json");
  const text = await readFile(file, "utf8").catch(ignoreMissing);
  if (text === null) return null;
  const parsed = installationSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new LaunchError(
    `${file} is damaged, or from another version of Gleaner.`,
    "Delete that file and start again. Your data stays, and new keys are issued.",
  );
}

export async function writeInstallation(folder: DataFolder, installation: Installation): Promise<void> {
  await replaceFile(join(folder.path, "installation.json"), `${JSON.stringify(installation, null, 2)}\n`);
}

/** The addresses of a backend for this machine. With TLS it has the pin of the server's key. */
export type BackendAddress = {
  readonly url: string;
  readonly pin: Pin | null;
  /** Of the API and the console; null if an older Gleaner recorded the address. */
  readonly siteUrl: string | null;
};

/** Records where the backend was started last, for the commands that connect to it. */
export async function writeBackendAddress(
  folder: string,
  { url, pin, siteUrl }: BackendAddress,
): Promise<void> {
  await replaceFile(join(folder, "backend-url"), [url, pin ?? "", siteUrl ?? "", ""].join("\n"));
}

/** The address of the last started backend, or the default address. */
export async function readBackendAddress(folder: string): Promise<BackendAddress> {
  const text = await readFile(join(folder, "backend-url"), "utf8").catch(() => "");
  const [url = "", pin = "", siteUrl = ""] = text.split("\n").map((line) => line.trim());
  if (url === "") return { url: "http://127.0.0.1:3210", pin: null, siteUrl: null };
  return { url, pin: pin === "" ? null : pin, siteUrl: siteUrl === "" ? null : siteUrl };
}

/**
 * Reads a secret from its file, or makes it there (mode 0600) on first use.
 * @param advice for a damaged file.
 */
export async function readOrMakeSecret(
  file: string,
  make: () => string,
  advice = "Delete that file and start again. Your data stays, and a new key is made.",
): Promise<string> {
  const text = await readFile(file, "utf8").catch(ignoreMissing);
  const secret = text?.trim() ?? "";
  if (secret !== "" && !/^[\x21-\x7e]+$/.test(secret)) {
    throw new LaunchError(`${file} is damaged: it contains no key.`, advice);
  }
  if (secret !== "") return secret;
  const made = make();
  await replaceFile(file, `${made}\n`);
  return made;
}

const dataKeyAdvice =
  "Put your copy of the key back. Without one, delete the file: then nobody can read the prompts and answers that are stored.";

/**
 * Reads the key for prompts and answers, or makes it. Throws a LaunchError for a malformed one: it is not replaced, since only the right
 * one opens what is stored.
 */
export async function readOrMakeDataKey(file: string, make: () => string): Promise<string> {
  const key = await readOrMakeSecret(file, make, dataKeyAdvice);
  if (/^[A-Za-z0-9_-]{43}$/.test(key)) return key;
  throw new LaunchError(`${file} is damaged: it does not contain 43 characters of base64url.`, dataKeyAdvice);
}

/** Reads a secret from its file. "" without a file. */
export async function readSecret(file: string): Promise<string> {
  return ((await readFile(file, "utf8").catch(ignoreMissing)) ?? "").trim();
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
