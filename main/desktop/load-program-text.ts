import type { Language } from "../../app/format/languages.ts";
import type { ProgramText } from "./program-text.ts";

/**
 * The program's text in a language. This code has only the English one: builds replace this file by one that loads the module
 * of the language (vite.program-text.ts).
 */
export async function loadProgramText(_language: Language): Promise<ProgramText> {
  const { programText } = await import("./program-text.ts");
  return programText;
}
