import { parseArgs } from "node:util";
import { parseArguments, type ParsedArguments, sharedOptions } from "../headless/arguments.ts";

type DesktopArguments = {
  /** Starts without a window, for a start at login. */
  readonly hidden: boolean;
  /** Whether `--data` or its variable was given. Otherwise the system's folder for program data is used. */
  readonly ownFolder: boolean;
  readonly parsed: ParsedArguments;
};

/**
 * Finds the headless program's arguments among Chromium's, since Electron passes both. `userData` is the
 * default data folder.
 */
export function desktopArguments(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  userData: string,
): DesktopArguments {
  const { tokens } = parseArgs({
    args: [...argv],
    options: { ...sharedOptions, hidden: { type: "boolean" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === "option");
  const ours = given.flatMap(({ name, value }) => {
    if (!isShared(name)) return [];
    const isSwitch = sharedOptions[name].type === "boolean";
    return isSwitch || value === undefined ? [`--${name}`] : [`--${name}`, value];
  });
  return {
    hidden: given.some(({ name }) => name === "hidden"),
    ownFolder: given.some(({ name }) => name === "data") || env["GLEANER_DATA"] !== undefined,
    parsed: parseArguments(ours, { GLEANER_DATA: userData, ...env }),
  };
}

function isShared(name: string): name is keyof typeof sharedOptions {
  return Object.hasOwn(sharedOptions, name);
}
