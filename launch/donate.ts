import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Child } from "./child.ts";
import { chooseShell } from "./display.ts";
import { startDesktopDonor, startHeadlessDonor } from "./donor.ts";
import { explain, LaunchError } from "./launch-error.ts";
import { defaultDataFolder } from "./paths.ts";
import { stopSignal } from "./stop-signals.ts";

const usage = `GLEANER_CODE=GLN-… npm run donate -- --backend http://…:3210 [--headless] [--panel-port N]
  --backend URL   the organization's backend
  --headless      no tray and no window; for a machine at which nobody sits
  --panel-port N  where the panel is served without a tray (default 3212; 0 takes a free port)
  GLEANER_CODE    the enrolment code; needed the first time only
  GLEANER_DATA    where this device's key and settings are kept (default: .gleaner in the checkout)`;

/** `npm run donate`: this computer as a donor of an organization whose backend runs elsewhere. */
async function main(): Promise<void> {
  const { backend, headless, panelPort } = readOptions();
  const stopped = stopSignal();
  const data = defaultDataFolder(process.env);
  const options = {
    folder: join(data, "donor"),
    logFolder: join(data, "logs"),
    backendUrl: backend,
    enrolmentCode: process.env["GLEANER_CODE"] ?? null,
    panelPort,
    donateNowMinutes: null,
  };
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  await mkdir(options.logFolder, { recursive: true });
  const shell = headless
    ? ({ kind: "headless", because: "you asked for --headless" } as const)
    : chooseShell(process.env);
  let child: Child;
  if (shell.kind === "desktop") {
    child = await startDesktopDonor(shell, { ...options, unattended: false });
    console.log("Gleaner is in the tray. Its window says what it does and why.");
  } else {
    child = await startHeadlessDonor({ ...options, unattended: true });
    console.log(`No tray, because ${shell.because}. The panel: ${String(child.ready["panelUrl"])}`);
  }
  console.log(`Everything it keeps is in ${data}. Ctrl-C stops it and gives its jobs back.`);
  await Promise.race([stopped, child.ended]);
  await child.stop();
}

function readOptions(): { readonly backend: string; readonly headless: boolean; readonly panelPort: number } {
  try {
    const { values } = parseArgs({
      options: {
        backend: { type: "string" },
        headless: { type: "boolean", default: false },
        "panel-port": { type: "string", default: "3212" },
      },
    });
    const panelPort = Number(values["panel-port"]);
    if (!Number.isInteger(panelPort) || panelPort < 0 || panelPort > 65_535)
      throw new Error("--panel-port is no port.");
    if (values.backend === undefined) throw new Error("--backend is missing.");
    return { backend: new URL(values.backend).href, headless: values.headless, panelPort };
  } catch (error) {
    throw new LaunchError((error as Error).message, usage);
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
