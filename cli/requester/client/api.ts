import { type GleanerError, Http, unreachable } from "@gleaner/client/http";
import { fetchPinned } from "../../../launch/core/pinned-fetch.ts";
import { CommandError, exitFailed, exitUnreachable } from "../../command/command.ts";
import { findLogin, type Login } from "./login-file.ts";

/** The end of each usage. */
export const exitCodes =
  "Exit codes: 0 done, 1 refused or failed, 2 wrong arguments, 3 the server does not answer.";

/** Deadline in ms of a call that has none of its own. */
const answersWithinMs = 60_000;

/** The server refused a call. */
export class ApiRefusal extends CommandError {
  readonly status: number;
  readonly code: string;

  constructor(message: string, status: number, code: string) {
    super(message, exitFailed);
    this.status = status;
    this.code = code;
  }
}

/** OpenAI's HTTP API at one server, with one key. Every call rejects with a CommandError that says what to do. */
export class Api extends Http {
  readonly #isOfVariables: boolean;

  constructor({ url, apiKey, pin, isOfVariables = false }: Login) {
    // A command says at once that a server cannot be reached.
    super({ url, apiKey, fetch: fetchPinned(pin, answersWithinMs), unreachableForMs: 0 });
    this.#isOfVariables = isOfVariables;
  }

  protected override explain({ message, code, status }: GleanerError): CommandError {
    if (code === unreachable) {
      const other = this.#isOfVariables
        ? "GLEANER_BASE_URL names it."
        : "To use another one: gleaner login --url URL";
      return new CommandError(`${message} ${other}`, exitUnreachable);
    }
    return status === null
      ? new CommandError(message)
      : new ApiRefusal(`${message}${adviceFor(status, code, this.#isOfVariables)}`, status, code);
  }
}

function adviceFor(status: number, code: string, isOfVariables: boolean): string {
  if (status === 401)
    return isOfVariables ? " It comes from GLEANER_API_KEY." : " Log in with another key: gleaner login";
  if (code === "model_not_found") return " See the models with: gleaner models";
  if (code === "insufficient_quota") return " An administrator gives the key more credits.";
  return "";
}

/** The API of the person's login. */
export async function openApi(): Promise<Api> {
  return new Api(await findLogin(process.env));
}
