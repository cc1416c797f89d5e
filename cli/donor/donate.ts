import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Child } from "../../launch/core/child.ts";
import { chooseShell, type Shell } from "../../launch/donor/shell.ts";
import { type DonorOptions, startDesktopDonor, startHeadlessDonor } from "../../launch/donor/donor.ts";
import { defaultDataFolder, installed } from "../../launch/core/paths.ts";
import { stopSignal } from "../../launch/core/stop-signal.ts";
import { CommandError, type Verb } from "../command/command.ts";
import { readArguments, usageError } from "./ask.ts";

const usage = `GLEANER_CODE=GLN-… gleaner donate --backend URL [options]
Runs this computer as a donor of an organization whose backend runs elsewhere, until it is stopped (Ctrl-C).
  --backend URL          the organization's backend
  --headless             no tray and no window, and at any time, as where there is no display: for a server or a lab
                         machine
  --attended             headless, and somebody may use this computer: donate only while they are away, as where there
                         is a display
  --panel-port N         where the panel is served without a tray (default 3212; 0 takes a free port)
  --name NAME            what the organization calls this computer (default: its host name)
  --data FOLDER          where this device's key and settings are kept (default: GLEANER_DATA, or .gleaner in the
                         checkout; the desktop program's folder where that is installed)
  --json                 say what was started, and where its panel is, as one line of JSON
  GLEANER_CODE           the enrolment code; needed the first time only
  GLEANER_BACKEND        may stand for --backend
To run it as a service see docs/donor/systemd.md.
Exit codes: 0 stopped, or quit from the tray; 1 it did not start, or ended by itself; 2 wrong arguments.`;

export const donate: Verb = { summary: "run this computer as a donor", usage, run };

type Flags = {
  readonly backend: string;
  readonly headless: boolean;
  readonly attended: boolean;
  readonly panelPort: number;
  readonly name: string | undefined;
  readonly data: string;
  readonly json: boolean;
  /** The donor's own, within it, or all of it. */
  readonly folder: string;
};

async function run(args: readonly string[]): Promise<void> {
  const flags = readFlags(args, process.env);
  const stopped = stopSignal();
  const options = {
    folder: flags.folder,
    logFolder: join(flags.data, "logs"),
    backendUrl: flags.backend,
    enrolmentCode: process.env["GLEANER_CODE"] ?? null,
    panelPort: flags.panelPort,
    donateNowMinutes: null,
    ...(flags.name === undefined ? {} : { name: flags.name }),
  };
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  await mkdir(options.logFolder, { recursive: true });
  const shell = shellFor(flags);
  const child = await startDonor(shell, options);
  const panelUrl = shell.kind === "headless" ? String(child.ready["panelUrl"]) : null;
  console.log(
    flags.json
      ? JSON.stringify({ shell: shell.kind, panelUrl, data: flags.data })
      : `${sayStarted(shell, panelUrl)}\nEverything it keeps is in ${flags.data}. Ctrl-C stops it and gives its jobs back.`,
  );
  const ending = await Promise.race([stopped, child.ended]);
  await child.stop();
  if (typeof ending === "object" && ending.code !== 0) {
    const how = ending.signal ?? `code ${ending.code}`;
    throw new CommandError(`The donor ended by itself (${how}). Its log is in ${options.logFolder}.`);
  }
}

function shellFor({ headless, attended }: Flags): Shell {
  if (headless || attended) {
    const because = `you asked for ${headless ? "--headless" : "--attended"}`;
    return { kind: "headless", because, attended };
  }
  return chooseShell(process.env);
}

async function startDonor(shell: Shell, options: Omit<DonorOptions, "unattended">): Promise<Child> {
  return shell.kind === "desktop"
    ? startDesktopDonor(shell, { ...options, unattended: false })
    : startHeadlessDonor({ ...options, unattended: !shell.attended });
}

function sayStarted(shell: Shell, panelUrl: string | null): string {
  return shell.kind === "desktop"
    ? "Gleaner is in the tray. Its window says what it does and why; so does `gleaner status`."
    : `No tray, because ${shell.because}. The panel: ${panelUrl ?? ""}. Or ask \`gleaner status\`.`;
}

function readFlags(args: readonly string[], env: NodeJS.ProcessEnv): Flags {
  const options = {
    backend: { type: "string" },
    headless: { type: "boolean", default: false },
    attended: { type: "boolean", default: false },
    "panel-port": { type: "string", default: "3212" },
    name: { type: "string" },
    data: { type: "string" },
    json: { type: "boolean", default: false },
  } as const;
  const { values } = readArguments(args, options, usage);
  const { headless, attended, name, json } = values;
  const panelPort = Number(values["panel-port"]);
  if (!Number.isInteger(panelPort) || panelPort < 0 || panelPort > 65_535) {
    throw usageError("--panel-port is no port.", usage);
  }
  const backend = URL.parse(values.backend ?? env["GLEANER_BACKEND"] ?? "");
  if (backend === null) throw usageError("--backend is missing, or no address.", usage);
  const data = defaultDataFolder(values.data === undefined ? env : { GLEANER_DATA: values.data });
  // The desktop program keeps a donor's things in its folder itself: the installed command's donor is the same one.
  const folder = installed && values.data === undefined ? data : join(data, "donor");
  return { ...{ headless, attended, panelPort, name, json, data, folder }, backend: backend.href };
}
