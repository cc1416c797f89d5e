import { parseArgs } from "node:util";
import { LaunchError } from "../core/launch-error.ts";

export type StartOptions = {
  readonly port: number;
  /** The address to listen on; loopback unless other computers are to join. */
  readonly host: string;
  /** Lets other computers connect without TLS. */
  readonly insecureHttp: boolean;
  /** Tells this computer's networks the server's address, once other computers can connect. */
  readonly announce: boolean;
  readonly headless: boolean;
  readonly organization: string;
  /** Print secrets even if the output is no terminal. */
  readonly printSecrets: boolean;
  readonly help: boolean;
};

export const usage = `npm start -- [options]
  --port N           first of three ports: backend N, API and console N+1, panel N+2 (default 3210)
  --host ADDRESS     let other computers connect, with TLS: 0.0.0.0, or one address of this machine (default 127.0.0.1)
  --insecure-http    with --host, use no TLS: for a network that you trust, or a proxy on another machine
  --no-announce      with --host, do not tell the local network this server's address and the organization's name
  --organization S   name of the first organization (first run only)
  --headless         do not open the desktop app; donate at any time, even while somebody uses this computer
  --print-secrets    print the sign-in link and the keys even if the output is no terminal, but a file or a log.
                     Without it they are in files in the data folder. GLEANER_PRINT_SECRETS=1 does the same
  GLEANER_DATA       the data folder (default: .gleaner in the checkout)`;

/** Parses the command line. Throws a LaunchError for an unknown option or a bad value. */
export function parseStartOptions(argv: readonly string[]): StartOptions {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        port: { type: "string", default: "3210" },
        host: { type: "string", default: "127.0.0.1" },
        organization: { type: "string", default: "My organization" },
        "insecure-http": { type: "boolean", default: false },
        "no-announce": { type: "boolean", default: false },
        headless: { type: "boolean", default: false },
        "print-secrets": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 1 || port > 65_533) {
      throw new Error(`--port must be a number from 1 to 65533, not "${values.port}"`);
    }
    return {
      port,
      host: values.host,
      insecureHttp: values["insecure-http"],
      announce: !values["no-announce"],
      headless: values.headless,
      organization: values.organization.slice(0, 120),
      printSecrets: values["print-secrets"],
      help: values.help,
    };
  } catch (error) {
    throw new LaunchError((error as Error).message, usage);
  }
}
