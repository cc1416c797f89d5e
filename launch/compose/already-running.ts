import { readBackendAddress, readInstallation } from "../core/data-folder.ts";
import { openSecretOutput } from "../core/secret-output.ts";
import { Setup } from "../organization/setup.ts";
import { consoleOf, signInLink } from "../organization/sign-in-link.ts";
import type { Prepared } from "./compose.ts";
import { adminLines } from "./next-steps.ts";

/** A backend on this machine that does not answer within so many ms does not run. */
const answersWithinMs = 5_000;

/**
 * The text for a second `npm start` on a data folder whose backend runs: a new sign-in link, and the API's address. Null if
 * none runs there.
 */
export async function alreadyRunning({ folder, adminKey, options }: Prepared): Promise<string | null> {
  const installation = await readInstallation(folder);
  const { url, pin, siteUrl } = await readBackendAddress(folder.path);
  if (installation === null || siteUrl === null) return null;
  // Only the backend of this folder takes its admin key.
  const setup = new Setup({ url, pin, adminKey }, answersWithinMs);
  const token = await setup.makeSignInToken(installation.organizationId).catch(() => null);
  if (token === null) return null;
  const isTerminal = options.printSecrets || process.stdout.isTTY;
  const secrets = await openSecretOutput(folder.path, isTerminal, process.env, true);
  const link = await secrets.line("sign-in-link", signInLink(consoleOf(siteUrl), token));
  return [
    `Gleaner runs already for ${installation.organizationName}. Its data is in ${folder.path}`,
    "",
    ...adminLines({
      secretsFolder: secrets.folder,
      signInLink: link,
      awaySignInLink: null,
      certificate: null,
      publicUrl: url,
    }),
    "",
    `REQUESTER  The API is at ${siteUrl}/v1`,
    "",
    "To stop it, press Ctrl-C where it was started.",
  ].join("\n");
}
