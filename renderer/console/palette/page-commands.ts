import { createContext, useContext, useEffect, useId } from "react";
import type { Command } from "./match.ts";

/** Keeps the commands of the pages that are shown. */
export type CommandRegistry = {
  readonly set: (owner: string, commands: readonly Command[]) => void;
  readonly all: () => readonly Command[];
};

export function commandRegistry(): CommandRegistry {
  const byOwner = new Map<string, readonly Command[]>();
  return {
    set: (owner, commands) => {
      if (commands.length === 0) byOwner.delete(owner);
      else byOwner.set(owner, commands);
    },
    all: () => [...byOwner.values()].flat(),
  };
}

export const Commands = createContext<CommandRegistry | null>(null);

/** Offers commands in the palette while the calling component is shown, e.g. "Save the rules". */
export function useCommands(commands: readonly Command[]): void {
  const registry = useContext(Commands);
  const owner = useId();
  useEffect(() => registry?.set(owner, commands), [registry, owner, commands]);
  useEffect(() => () => registry?.set(owner, []), [registry, owner]);
}
