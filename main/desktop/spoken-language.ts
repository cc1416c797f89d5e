import { readFile } from "node:fs/promises";
import * as z from "zod";
import { isLanguage, type Language, languageOf } from "../../app/format/languages.ts";
import { parseJson } from "../../app/json.ts";
import { errorName, type Log } from "../log.ts";
import { saveJson } from "../store/json-file.ts";
import { SerialWrites } from "../store/serial-writes.ts";

/** The program's text in the language of its person. */
export type SpokenLanguage<Text> = {
  readonly text: () => Text;
  /** Takes what the person chose in the panel. Null: as the system has it. */
  readonly choose: (chosen: Language | null) => Promise<void>;
  /** Calls back when there is other text. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
};

type Options<Text> = {
  /** Keeps the choice for a start without a window. The panel keeps it too, and tells it whenever a page starts. */
  readonly file: string;
  /** As in a page's `navigator.languages`, so that the tray and the panel speak the same one. */
  readonly preferred: readonly string[];
  readonly load: (language: Language) => Promise<Text>;
  readonly log: Log;
};

const stored = z.object({ language: z.custom<Language>(isLanguage).nullable() });

/** Speaks the language that was chosen last, and follows each further choice at once. */
export async function spokenLanguage<Text>(options: Options<Text>): Promise<SpokenLanguage<Text>> {
  const { file, preferred, load, log } = options;
  const listeners = new Set<() => void>();
  const writes = new SerialWrites();
  let chosen = await readChoice(file);
  let text = await load(languageOf(chosen, preferred));
  return {
    text: () => text,
    choose: async (next) => {
      if (next === chosen) return;
      chosen = next;
      const save = writes.run(() => saveJson(file, { language: next }));
      const loaded = await load(languageOf(next, preferred));
      // Another choice may have come meanwhile.
      if (next === chosen) {
        text = loaded;
        for (const listener of listeners) listener();
      }
      await save.catch((error: unknown) => log("warn", "language.not-kept", { error: errorName(error) }));
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A file that is absent or damaged is no choice: the panel tells it again. */
async function readChoice(file: string): Promise<Language | null> {
  const text = await readFile(file, "utf8").catch(() => "");
  return stored.safeParse(parseJson(text)).data?.language ?? null;
}
