import { readArguments, usageError } from "../command/arguments.ts";
import { askHidden, askLine, firstInputLine } from "../command/ask-person.ts";
import type { Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { readTrustFor, trustOptions, trustUsage } from "../command/trust.ts";
import { Api, exitCodes } from "./client/api.ts";
import { baseUrl, givenLogin, loginFile, removeLogin, saveLogin } from "./client/login-file.ts";
import { modelList } from "./client/wire.ts";

const loginUsage = `gleaner login [--url URL] [options]
Checks an API key, and stores it with the server's address in a file that only you can read. The other commands for
requesters use both. It takes the key from GLEANER_API_KEY, else asks for it, else reads the first line of its input:
gleaner login --url URL < key-file
  --url URL              the server: http://127.0.0.1:3211 after \`npm start\` (default: GLEANER_BASE_URL, else
                         OPENAI_BASE_URL, whose key is OPENAI_API_KEY)
${trustUsage}
  --json                 print the result as JSON
${exitCodes}`;

const logoutUsage = `gleaner logout [options]
Removes the stored address and key. The key itself stays valid: an administrator revokes it in the console.
  --json                 print the result as JSON
${exitCodes}`;

const loginOptions = {
  url: { type: "string" },
  ...trustOptions,
  json: { type: "boolean", default: false },
} as const;
const logoutOptions = { json: { type: "boolean", default: false } } as const;

export const login: Verb = { usage: loginUsage, options: loginOptions, run: runLogin };
export const logout: Verb = { usage: logoutUsage, options: logoutOptions, run: runLogout };

async function runLogin(args: readonly string[]): Promise<void> {
  const { values: flags } = readArguments(args, loginOptions, loginUsage);
  const { env } = process;
  const isTerminal = process.stdin.isTTY;
  const { url: named, apiKey: ofEnvironment } = givenLogin(env, flags.url);
  if (named === undefined && !isTerminal) throw usageError("Name the server with --url.", loginUsage);
  const url = baseUrl(named ?? (await askLine("The server's address: ")));
  const { pin } = readTrustFor(url, flags, env);
  const given = ofEnvironment ?? (isTerminal ? await askHidden("The API key: ") : await firstInputLine());
  const apiKey = given.trim();
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw usageError(
      "That is no API key. It begins with sk-gleaner-, and an administrator makes it.",
      loginUsage,
    );
  }
  const { data } = await new Api({ url, apiKey, pin }).get("/models", modelList);
  await saveLogin(env, { url, apiKey, pin });
  const models = data.map(({ id }) => id);
  if (flags.json) sayJson({ url, models, file: loginFile(env) });
  else say(`Logged in at ${url}. You can ask ${models.join(", ") || "no model yet"}.`);
}

async function runLogout(args: readonly string[]): Promise<void> {
  const { values: flags } = readArguments(args, logoutOptions, logoutUsage);
  const removed = await removeLogin(process.env);
  if (flags.json) sayJson({ removed });
  else say(removed ? "Logged out. The stored key is removed." : "You were not logged in.");
}
