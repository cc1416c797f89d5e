import { defaultAlias } from "../../../app/models/aliases.ts";
import { CommandError, exitUsage } from "../../command/command.ts";
import type { Api } from "./api.ts";
import { modelList } from "./wire.ts";

/**
 * The model to ask: the given one, or the organization's default, or its only one. Rejects with a CommandError that names the
 * models if none of these is there.
 */
export async function findModel(api: Api, given: string | undefined): Promise<string> {
  const { data } = await api.get("/models", modelList);
  const names = data.map(({ id }) => id);
  const choices = `You can ask ${names.join(", ") || "none yet"}.`;
  if (given !== undefined) {
    if (names.includes(given)) return given;
    throw new CommandError(`There is no model ${given}. ${choices}`, exitUsage);
  }
  if (names.includes(defaultAlias)) return defaultAlias;
  const [only, another] = data.filter(({ root }) => root === undefined);
  if (only !== undefined && another === undefined) return only.id;
  throw new CommandError(`Name the model with --model. ${choices}`, exitUsage);
}
