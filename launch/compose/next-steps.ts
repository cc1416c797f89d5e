import { isLoopback, joinCommand } from "../../app/join-command.ts";
import { samplePrompt } from "../../app/sample-prompt.ts";
import type { Certificate } from "../backend/certificate.ts";
import { quoted } from "../core/secret-output.ts";

type NextSteps = {
  readonly organizationName: string;
  readonly dataFolder: string;
  /** The folder of the secrets' files. Null on a terminal: the fields below are the secrets then, else commands. */
  readonly secretsFolder: string | null;
  /** The addresses for other computers. Equal to those for this computer if others cannot connect. */
  readonly publicSiteUrl: string;
  readonly publicUrl: string;
  /** The certificate of the public addresses; null without TLS. */
  readonly certificate: Certificate | null;
  readonly apiKey: string;
  readonly modelId: string;
  readonly signInLink: string;
  /** The link for other computers, if it has another address. */
  readonly awaySignInLink: string | null;
  readonly donor: DonorStep;
  readonly others: OthersStep;
};

export type DonorStep =
  | { readonly kind: "desktop"; readonly firstHour: boolean; readonly isRetired: boolean }
  | {
      readonly kind: "headless";
      readonly panelUrl: string;
      readonly because: string;
      readonly attended: boolean;
      readonly firstHour: boolean;
      readonly isRetired: boolean;
    };

/** Whether other computers can reach this one, and if so, how they join. */
export type OthersStep =
  { readonly kind: "loopback" } | { readonly kind: "network"; readonly enrollmentCode: string };

/**
 * The text that is printed when everything runs: the next steps for admin, requester and donor, ready to copy. Without a terminal it
 * has no secret: its commands read them from files, so they work only for the person whose files they are.
 */
export function nextSteps(steps: NextSteps): string {
  return [
    "",
    `Gleaner runs for ${steps.organizationName}. Its data is in ${steps.dataFolder}`,
    "",
    ...secretNote(steps.secretsFolder),
    ...adminLines(steps),
    "",
    "REQUESTER  Send a request with curl or any OpenAI SDK:",
    ...curl(steps).map((line) => `  ${line}`),
    "Or from a terminal, with `chat` for a question and `run` for a table. It asks for the key:",
    `  npm run -s gleaner -- login --url ${steps.publicSiteUrl}${loginTrust(steps)}`,
    "",
    ...donorLines(steps),
    "",
    ...othersLines(steps),
    "",
    "Ctrl-C stops everything. Jobs under way go back to the queue.",
    "",
  ].join("\n");
}

function secretNote(folder: string | null): string[] {
  if (folder === null) return [];
  return [
    `This output is no terminal, so the secrets are not printed. They are in ${folder}, and only you can read them.`,
    "To print them here instead: npm start -- --print-secrets, or GLEANER_PRINT_SECRETS=1",
    "",
  ];
}

type AdminSteps = Pick<
  NextSteps,
  "secretsFolder" | "signInLink" | "awaySignInLink" | "certificate" | "publicUrl"
>;

/** How the admin gets into the console. */
export function adminLines({
  secretsFolder,
  signInLink,
  awaySignInLink,
  certificate,
  publicUrl,
}: AdminSteps): string[] {
  const where = awaySignInLink === null ? "" : " on this computer";
  return [
    secretsFolder === null
      ? `ADMIN      Open the console${where}. This link signs you in, once:`
      : `ADMIN      Open the console${where}. This command prints the link that signs you in, once:`,
    `  ${signInLink}`,
    ...(awaySignInLink === null ? [] : ["  Or on another computer:", `  ${awaySignInLink}`]),
    ...(certificate === null ? [] : warning(publicUrl, certificate)),
  ];
}

/** No authority knows a certificate that this program made. */
function warning(publicUrl: string, { fingerprint }: Certificate): string[] {
  return [
    "  The browser there warns, because it does not know this certificate. Continue only if it shows this fingerprint of",
    "  the certificate (SHA-256):",
    `  ${fingerprint}`,
    `  Firefox asks for each port: accept ${publicUrl} too. A proxy with a real certificate avoids this:`,
    "  see docs/deploying.md.",
  ];
}

/** How the command that logs in trusts the server. */
function loginTrust({ certificate, publicSiteUrl }: NextSteps): string {
  if (certificate !== null) return ` --pin ${certificate.pin}`;
  return isLoopback(publicSiteUrl) || publicSiteUrl.startsWith("https:") ? "" : " --insecure-http";
}

function curl(steps: NextSteps): string[] {
  const apiBase = `${steps.publicSiteUrl}/v1`;
  const certFile = steps.certificate?.certFile ?? null;
  const body = JSON.stringify({
    model: steps.modelId,
    messages: [{ role: "user", content: samplePrompt }],
    // The demo model is so small that random sampling at times gives a wrong answer.
    temperature: 0,
  });
  return [
    `curl ${certFile === null ? "" : `--cacert ${quoted(certFile)} `}${apiBase}/chat/completions \\`,
    `  -H "Authorization: Bearer ${steps.apiKey}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
    "",
    `export OPENAI_BASE_URL=${apiBase} OPENAI_API_KEY=${quotedWord(steps.apiKey)}`,
    ...(certFile === null
      ? []
      : [
          `export NODE_EXTRA_CA_CERTS=${quoted(certFile)}`,
          "Python reads SSL_CERT_FILE instead. On another computer, use a copy of that file.",
        ]),
  ];
}

/** A call needs quotes, a key does not. */
function quotedWord(word: string): string {
  return word.startsWith("$(") ? `"${word}"` : word;
}

function donorLines({ donor, secretsFolder, dataFolder }: NextSteps): string[] {
  if (donor.kind === "desktop") {
    return [
      "DONOR      This computer. Click the Gleaner icon in the tray to pause it or to open its window.",
      ...(donor.isRetired ? whenRetired(dataFolder) : [whenAttended(donor.firstHour)]),
    ];
  }
  const panel = secretsFolder === null ? "Its panel" : "This prints its panel's link";
  const when = donor.attended ? whenAttended(donor.firstHour) : whenUnattended(donor.firstHour);
  return [
    `DONOR      This computer, without a tray because ${donor.because}. ${panel}:`,
    `  ${donor.panelUrl}`,
    ...(donor.isRetired ? whenRetired(dataFolder) : [when]),
  ];
}

function whenRetired(dataFolder: string): string[] {
  return [
    "  It donates nothing, because an administrator retired it. The page Devices of the console puts it back into service. Or it",
    "  leaves, and the next start lets it join as a new device:",
    `  npm run -s gleaner -- leave --yes --data ${quoted(dataFolder)}`,
  ];
}

/** "Donate now" ignores the load of other programs. */
function whenUnattended(firstHour: boolean): string {
  return firstHour
    ? "  It donates for the first hour whatever else runs here. Then at any time while other programs leave room, until you\n" +
        "  press Pause."
    : "  It donates at any time while other programs leave room, until you press Pause.";
}

function whenAttended(firstHour: boolean): string {
  return firstHour
    ? "  It donates for the first hour even while you work, so that you can try it. Then only while idle."
    : "  It donates while nobody uses the computer. To donate at once, press Donate now in its window.";
}

function othersLines({ others, publicUrl, certificate, secretsFolder }: NextSteps): string[] {
  if (others.kind === "loopback") {
    return ["Other computers cannot reach this one. To let them join: npm start -- --host 0.0.0.0"];
  }
  const isPrinted = secretsFolder === null;
  const code = isPrinted ? others.enrollmentCode : "…";
  const command = joinCommand({ code, url: publicUrl, pin: certificate?.pin ?? null });
  return [
    "ANOTHER COMPUTER  In a clone of the repository there, run (the code works once, within a day):",
    `  ${command}`,
    ...(isPrinted ? [] : ["  This command prints the code here:", `  ${others.enrollmentCode}`]),
    certificate === null
      ? "  This is plain HTTP: anybody in between can read keys, prompts and answers. Without --insecure-http, TLS is used."
      : "  The pin is the hash of this server's key: that computer accepts no other server. It is not the certificate's\n" +
        "  fingerprint that browsers show.",
  ];
}
