import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { calls } from "../../app/contract/donor-calls.ts";
import type { MembershipReport } from "../../app/contract/membership.ts";
import { visibleText } from "../../app/format/visible.ts";
import { limits } from "../../app/jobs/limits.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import { defaultDataFolder, installed } from "../../launch/core/paths.ts";
import { openSecretOutput } from "../../launch/core/secret-output.ts";
import { stopSignal } from "../../launch/core/stop-signal.ts";
import { startDonorChild } from "../../launch/donor/donor.ts";
import { findShell, type Shell } from "../../launch/donor/shell.ts";
import type { Pin } from "../../main/connection/pin.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, exitUsage, type Verb } from "../command/command.ts";
import { readTrust, trustOptions } from "../command/trust.ts";
import { findManaged, refusalAsError } from "./find-managed.ts";
import { JoinProgress } from "./join-progress.ts";

const usage = `GLEANER_CODE=GLN-… gleaner donate --backend URL [options]
Runs this computer as a donor of an organization whose backend runs elsewhere. Ctrl-C stops it.
  --backend URL          the organization's backend (default: the one in this computer's managed settings)
  --pin PIN              accept only a backend with this key, sha256:…, as the printed command says. It is remembered
  --insecure-http        allow plain HTTP to another computer, in a network that you trust. It is remembered
  --sign-in              join by a sign-in to the organization instead of a code: prints the address of a page on which you
                         confirm this computer. If it has joined already, this does nothing, unless --rejoin is given
  --headless             no tray and no window; donate at any time, even while somebody uses this computer. The default
                         on a computer without a display, such as a server
  --attended             no tray and no window, but donate only while nobody uses this computer
  --panel-port N         the port of the panel, without a tray (default 3212, or a free port if that is taken; 0 takes
                         a free port)
  --rejoin               join again as a new device, with GLEANER_CODE: in another organization, after this computer was
                         retired, or when its key differs. Give it once. The former device's file is kept
  --name NAME            this computer's name in the organization (default: its host name)
  --data FOLDER          the folder for this device's key and settings (default: GLEANER_DATA, else .gleaner in the
                         checkout, or the folder of the installed desktop program)
  --json                 print the panel's link, or its file, and the data folder as one line of JSON
  --print-secrets        print the panel's link even if the output is no terminal, but a file or a log. Without it the
                         link is in a file. GLEANER_PRINT_SECRETS=1 does the same
  GLEANER_CODE           the enrollment code, needed only the first time
  GLEANER_BACKEND        the backend, if --backend is not given
  GLEANER_PIN, GLEANER_INSECURE_HTTP=1  the same as --pin and --insecure-http
To run it as a service, see docs/donor/systemd.md.
Exit codes: 0 stopped, or quit from the tray; 1 it did not start, cannot join, or ended by itself; 2 wrong arguments.`;

const defaultPanelPort = 3212;
/** A donor that cannot reach its backend reports that after three seconds. */
const knownWithinMs = 5_000;

const commandOptions = {
  backend: { type: "string" },
  ...trustOptions,
  "sign-in": { type: "boolean", default: false },
  headless: { type: "boolean", default: false },
  attended: { type: "boolean", default: false },
  rejoin: { type: "boolean", default: false },
  "panel-port": { type: "string" },
  name: { type: "string" },
  data: { type: "string" },
  json: { type: "boolean", default: false },
  "print-secrets": { type: "boolean", default: false },
} as const;

export const donate: Verb = { usage, options: commandOptions, run };

type Flags = {
  /** Null: the server of this computer's managed settings. */
  readonly backend: string | null;
  readonly pin: Pin | null;
  readonly insecureHttp: boolean;
  readonly signIn: boolean;
  readonly headless: boolean;
  readonly attended: boolean;
  /** Null: the default, or any free port. */
  readonly panelPort: number | null;
  readonly rejoin: boolean;
  readonly name: string | undefined;
  readonly data: string;
  readonly json: boolean;
  readonly printSecrets: boolean;
  /** The donor's own data folder: inside `data`, or `data` itself. */
  readonly folder: string;
};

async function run(args: readonly string[]): Promise<void> {
  const { settings: managed } = await findManaged();
  const flags = readFlags(args, process.env, managed);
  const stopped = stopSignal();
  const { GLEANER_CODE: givenCode } = process.env;
  if (flags.signIn && givenCode !== undefined) {
    throw usageError("Give either --sign-in or GLEANER_CODE, not both.", usage);
  }
  if (givenCode?.trim() === "") {
    throw new CommandError(
      "GLEANER_CODE is empty. Give it the enrollment code from your administrator, or leave it out if this computer has joined already.",
      exitUsage,
    );
  }
  // The donor would name an option of its own, which this command does not have.
  if (givenCode !== undefined && !calls.enroll.argument.safeParse({ code: givenCode }).success) {
    throw new CommandError("GLEANER_CODE is no enrollment code, such as GLN-7K2M-9QXD-4WHT.", exitUsage);
  }
  if (flags.rejoin && !flags.signIn && givenCode === undefined && managed.code === undefined) {
    throw usageError("--rejoin needs a new enrollment code in GLEANER_CODE, or --sign-in.", usage);
  }
  const code = flags.signIn ? await signIn(flags, managed, stopped) : (givenCode ?? null);
  const options = {
    folder: flags.folder,
    logFolder: join(flags.data, "logs"),
    backendUrl: flags.backend,
    pin: flags.pin,
    insecureHttp: flags.insecureHttp,
    enrollmentCode: code,
    rejoin: flags.rejoin,
    panelPort: flags.panelPort ?? defaultPanelPort,
    anyPanelPort: flags.panelPort === null,
    panelPortCommand: "gleaner donate --panel-port 0",
    donateNowMinutes: null,
    onMembership: (report: MembershipReport) => progress.take(report),
    ...(flags.name === undefined ? {} : { name: flags.name }),
  };
  for (const folder of [options.folder, options.logFolder]) await makePrivate(folder);
  const found = await findShell(flags);
  const progress = new JoinProgress({
    hasCode: options.enrollmentCode !== null || managed.code !== undefined,
    isJson: flags.json,
  });
  const { child, shell } = await startDonorChild(found, options);
  // Tells a donor that cannot join from one that runs before it says that it runs.
  const early = await Promise.race([progress.hopeless, progress.known(knownWithinMs)]);
  if (early instanceof CommandError) {
    await child.stop();
    throw early;
  }
  const secrets = await openSecretOutput(
    flags.folder,
    flags.printSecrets || process.stdout.isTTY,
    process.env,
  );
  const link = shell.kind === "headless" ? String(child.ready["panelUrl"]) : null;
  const panel = link === null ? null : await secrets.line("panel-link", link);
  const isPrinted = secrets.folder === null;
  const json = {
    shell: shell.kind,
    panelUrl: isPrinted ? link : null,
    panelLinkFile: secrets.folder === null || link === null ? null : join(secrets.folder, "panel-link"),
    data: flags.data,
  };
  console.log(
    flags.json
      ? JSON.stringify(json)
      : `${sayStarted(shell, panel, isPrinted)}\nIts data is in ${flags.data}. Ctrl-C stops it and gives its jobs back.`,
  );
  progress.show();
  const ending = await Promise.race([stopped, child.ended, progress.hopeless]);
  await child.stop();
  if (ending instanceof CommandError) throw ending;
  if (typeof ending === "object" && ending.code !== 0) {
    const how = ending.signal ?? `code ${ending.code}`;
    throw new CommandError(`The donor ended by itself (${how}). Its log is in ${options.logFolder}.`);
  }
}

/** The code that a person has confirmed. Null: this computer has joined already, so that the option left in a service does no harm. */
async function signIn(
  flags: Flags,
  managed: ManagedSettings,
  stopped: Promise<unknown>,
): Promise<string | null> {
  const say = flags.json ? console.error : console.log;
  const { joinedOrganization } = await import("../../main/first-run/stored-membership.ts");
  const joined = flags.rejoin ? null : await joinedOrganization(flags.folder);
  if (joined !== null) {
    say(
      visibleText(
        `This computer belongs to ${joined} already, so --sign-in does nothing. Add --rejoin to join anew.`,
      ),
    );
    return null;
  }
  // It loads Convex's client, which the other ways to start do without.
  const { signInForCode } = await import("./sign-in.ts");
  return await signInForCode(flags, managed, { say, stopped }).catch(refusalAsError);
}

/** Makes a folder that only its owner can read. An existing one may be readable for others. */
async function makePrivate(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    const why = `${folder} cannot be used: ${(error as Error).message}.`;
    throw new CommandError(`${why} Name a folder of your own with --data.`);
  }
}

function sayStarted(shell: Shell, panel: string | null, isPrinted: boolean): string {
  return shell.kind === "desktop"
    ? "Gleaner is in the tray. To see what it does and why, open its window or run `gleaner status`."
    : `No tray, because ${shell.because}. ${isPrinted ? "The panel" : "This prints the panel's link"}: ${panel ?? ""}. Or run \`gleaner status\`.`;
}

function readFlags(args: readonly string[], env: NodeJS.ProcessEnv, managed: ManagedSettings): Flags {
  const { values } = readArguments(args, commandOptions, usage);
  const { headless, attended, name, json, rejoin } = values;
  if (name !== undefined && (name.trim() === "" || name.length > limits.nameChars)) {
    throw usageError(`--name must have 1 to ${String(limits.nameChars)} characters.`, usage);
  }
  const panelPort = values["panel-port"] === undefined ? null : Number(values["panel-port"]);
  if (panelPort !== null && (!Number.isInteger(panelPort) || panelPort < 0 || panelPort > 65_535)) {
    throw usageError("--panel-port must be a number from 0 to 65535.", usage);
  }
  const given = values.backend ?? env["GLEANER_BACKEND"];
  const backend = given === undefined ? null : URL.parse(given);
  // Without one, the donor takes the server of its managed settings.
  if (backend === null && (given !== undefined || managed.server === undefined)) {
    throw usageError("--backend is missing, or is not a URL.", usage);
  }
  const data = defaultDataFolder(values.data === undefined ? env : { GLEANER_DATA: values.data });
  // The installed command runs the same donor as the desktop program, which keeps its data directly in its folder.
  const folder = installed && values.data === undefined ? data : join(data, "donor");
  return {
    headless,
    attended,
    panelPort,
    rejoin,
    signIn: values["sign-in"],
    name,
    json,
    printSecrets: values["print-secrets"],
    data,
    folder,
    backend: backend?.href ?? null,
    ...readTrust(values, env),
  };
}
