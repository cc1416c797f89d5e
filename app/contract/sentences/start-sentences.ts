/**
 * Sentences about why the program cannot start, each with what to do about it. Commands print them in English. The desktop program
 * shows them in the language of its person.
 */
export const startSentences = {
  // The folder of its data.
  "folder-in-use": (folder: string, lock: string) =>
    `Another Gleaner already uses this folder: ${folder}. Stop that one first, or choose another folder. (If you are sure that none is running, remove ${lock}.)`,
  "folder-unusable": (path: string, why: string) =>
    `${path} cannot be used (${why}). Make room for it, or choose another folder.`,
  "file-unreadable": (path: string, why: string) =>
    `${path} cannot be read (${why}). Make it readable, or move it away to start without it.`,
  "file-too-new": (path: string, format: string, newest: string) =>
    `${path} was written by a newer version of Gleaner (its format is ${format}, this one reads ${newest}). Update Gleaner. The file stays as it is.`,

  // The device's key.
  "keychain-required": () =>
    "This computer's managed settings require a keychain for its key, and there is none that this program can use. Unlock or install one and use the desktop program, or ask your administrator.",
  "keychain-elsewhere": (path: string) =>
    `The device's key in ${path} is encrypted with its user's keychain, which cannot be used here. Start Gleaner's desktop program in that user's own session, with the keychain unlocked. To join again as a new device instead, use a new enrollment code: GLEANER_CODE=GLN-… gleaner donate --backend URL --rejoin`,
  "keychain-cannot-decrypt": (path: string) =>
    `The keychain cannot decrypt the device's key in ${path}. Allow Gleaner to use the keychain, and start it again. If the keychain was reset, or the file comes from another computer, move the file away: Gleaner then asks for an invitation.`,

  // The settings that the management of the computer gives.
  "managed-not-a-file": (path: string) => `${path} is no file.`,
  "managed-too-large": (path: string) => `${path} is larger than 256 KiB.`,
  "managed-no-json": (path: string) =>
    `${path} is no JSON. Your administrator has to mend it: gleaner managed checks it.`,
  "managed-of-others": (path: string, mode: string) =>
    `${path} can be changed by others than the administrator. Run: sudo chown root "${path}" && sudo chmod ${mode} "${path}"`,
  "managed-unreadable": (path: string, why: string) =>
    `${path} cannot be read (${why}). Ask your administrator to make it readable.`,
  "managed-missing": (path: string) => `GLEANER_MANAGED names ${path}, which does not exist.`,
  "managed-profile-unreadable": (path: string) =>
    `${path} cannot be read. Ask your administrator to install the profile again.`,
  "managed-registry-unreadable": (key: string) =>
    `Gleaner cannot read its managed settings in ${key}, because reg.exe does not run. Ask your administrator to allow it.`,
  /** @param problems in English, for the administrator */
  "managed-wrong": (source: string, problems: string) =>
    `The managed settings of this computer have wrong values. Your administrator has to mend them. ${source}: ${problems}`,

  // The server, and how to trust it.
  "other-server": (managed: string, url: string) =>
    `This computer’s administrator allows no other server than ${managed}. This start names ${url}.`,
  "other-pin": () =>
    "The given pin is not the one in this computer’s managed settings, so this may be another server. Ask your administrator.",
  "rejoin-needs-code": () =>
    "To join again, this computer needs a new enrollment code from your administrator: GLEANER_CODE=GLN-… gleaner donate --backend URL --rejoin",
  "key-replaced": (joined: string, given: string) =>
    `This computer joined a server with the key ${joined}, but was started with --pin ${given}. If your administrator has replaced the key, join again with a new enrollment code and the new pin: GLEANER_CODE=GLN-… gleaner donate --backend URL --pin sha256:… It then joins as a new device. Otherwise leave out the pin.`,
  "pin-needs-tls": (server: string) =>
    `A server with a pinned key is reached with TLS. Use https:// in place of ${server}.`,
  "plain-http": (server: string) =>
    `${server} is another computer, and plain HTTP lets anybody in between read keys, prompts and answers. Use its https:// address, with the --pin that your administrator gives you. In a network that you trust, --insecure-http (or GLEANER_INSECURE_HTTP=1) allows it.`,
} as const satisfies Readonly<Record<string, (...values: readonly string[]) => string>>;

type StartSentenceName = keyof typeof startSentences;

/** The name and the values of such a sentence. */
export type StartSentence = { readonly name: StartSentenceName; readonly values: readonly string[] };

export function startSentence<Name extends StartSentenceName>(
  name: Name,
  ...values: Extract<Parameters<(typeof startSentences)[Name]>, readonly string[]>
): StartSentence {
  return { name, values: [...values] };
}

/** The sentence in the language of this code: English, except in a module that is made for another language. */
export function sayStartSentence({ name, values }: StartSentence): string {
  const words: (...values: readonly string[]) => string = startSentences[name];
  return words(...values);
}
