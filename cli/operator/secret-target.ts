import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { mayPrintSecrets } from "../../app/format/secrets.ts";
import { writeSecretFile } from "../../launch/core/secret-output.ts";
import { CommandError, exitUsage } from "../command/command.ts";

export const secretOptions = {
  out: { type: "string" },
  "print-secrets": { type: "boolean", default: false },
} as const;

export const secretUsage = `  --out FILE             write the secrets to a new file that only you can read, instead of printing them
  --print-secrets        print them even if the output is no terminal, but a file or a log`;

type SecretFlags = { readonly out?: string | undefined; readonly "print-secrets": boolean };

/**
 * Chooses the place for new secrets: the terminal, or a new file. Call it before they are made. Throws a
 * CommandError if neither is possible.
 */
export function secretTarget(flags: SecretFlags): (text: string) => Promise<void> {
  if (flags.out !== undefined) {
    const file = resolve(flags.out);
    if (existsSync(file)) throw new CommandError(`${file} exists already. Name a new file.`, exitUsage);
    return async (text) => {
      await writeSecretFile(file, text);
      console.log(`The secrets are in ${file}, and only you can read them.`);
    };
  }
  if (!mayPrintSecrets(flags["print-secrets"] || process.stdout.isTTY, process.env)) {
    throw new CommandError(
      "This output is no terminal, so nothing was made and no secret is printed. Run the command on a terminal, name a" +
        " file with --out FILE, or add --print-secrets.",
      exitUsage,
    );
  }
  return (text) => {
    console.log(text);
    return Promise.resolve();
  };
}
