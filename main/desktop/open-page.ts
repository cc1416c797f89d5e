import { shell } from "electron";

/**
 * Opens a page in the person's browser. Resolves to whether the system took the address. Linux takes each, also without a
 * browser.
 */
export async function openPage(address: string): Promise<boolean> {
  return await shell.openExternal(address).then(
    () => true,
    () => false,
  );
}
