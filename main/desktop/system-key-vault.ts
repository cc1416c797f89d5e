import { safeStorage } from "electron";
import type { KeyVault } from "../donor/organization/key-vault.ts";
import { errorName, type Log } from "../log.ts";

/**
 * The keychain of the system: the Keychain of macOS, DPAPI of Windows, the keyring or wallet of a Linux desktop. Null if there
 * is none that protects anything. Call it once the app is ready.
 */
export async function systemKeyVault(platform: NodeJS.Platform, log: Log): Promise<KeyVault | null> {
  try {
    if (platform === "linux" && safeStorage.getSelectedStorageBackend() === "basic_text") return null;
    if (!(await isAvailable())) return null;
    // On Linux Chromium falls back to a key that everybody knows, and marks what it encrypted with it.
    const probe = await encrypt("probe");
    if (platform === "linux" && probe.subarray(0, 3).toString("latin1") === "v10") return null;
    return {
      seal: async (text) => (await encrypt(text)).toString("base64"),
      open: async (sealed) => await decrypt(Buffer.from(sealed, "base64")),
    };
  } catch (error) {
    log("warn", "keychain.not-available", { error: errorName(error) });
    return null;
  }
}

/** Electron 46 has only the asynchronous functions, and Electron before 45 only these. Each reads what the others wrote. */
const former: {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Buffer;
  decryptString(sealed: Buffer): string;
} = safeStorage;
const isAsync = "isAsyncEncryptionAvailable" in safeStorage;

function isAvailable(): Promise<boolean> | boolean {
  return isAsync ? safeStorage.isAsyncEncryptionAvailable() : former.isEncryptionAvailable();
}

function encrypt(text: string): Promise<Buffer> | Buffer {
  return isAsync ? safeStorage.encryptStringAsync(text) : former.encryptString(text);
}

async function decrypt(sealed: Buffer): Promise<string> {
  return isAsync ? (await safeStorage.decryptStringAsync(sealed)).result : former.decryptString(sealed);
}
