import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { parseArguments, type ParsedArguments } from "../headless/arguments.ts";

export type DesktopArguments = {
  /** Starts without a window, for a start at login. */
  readonly hidden: boolean;
  /** Whether `--data` or its variable was given. Otherwise the system's folder for program data is used. */
  readonly ownFolder: boolean;
  readonly parsed: ParsedArguments;
};

const texts = ["data", "backend", "code", "name", "donate-now", "model"];
const switches = ["unattended", "with-parent", "verbose"];

/**
 * Finds the headless program's arguments among Chromium's, since Electron passes both. `userData` is the
 * default data folder.
 */
export function desktopArguments(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  userData: string,
): DesktopArguments {
  const options: ParseArgsOptionsConfig = {};
  for (const name of texts) options[name] = { type: "string", multiple: true };
  for (const name of [...switches, "hidden"]) options[name] = { type: "boolean" };
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === "option");
  const ours = given.flatMap(({ name, value }) => {
    if (texts.includes(name)) return value === undefined ? [`--${name}`] : [`--${name}`, value];
    return switches.includes(name) ? [`--${name}`] : [];
  });
  return {
    hidden: given.some(({ name }) => name === "hidden"),
    ownFolder: given.some(({ name }) => name === "data") || env["GLEANER_DATA"] !== undefined,
    parsed: parseArguments(ours, { GLEANER_DATA: userData, ...env }),
  };
}
