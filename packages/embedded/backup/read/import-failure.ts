/** What is wrong with an import, in words for who started it. Nothing of the import was kept. */
export class ImportFailure extends Error {
  override readonly name = "ImportFailure";
}

/** Where in which file a problem is. */
export function at(file: string, line: number, problem: string): ImportFailure {
  return new ImportFailure(`${file}, line ${String(line)}: ${problem}`);
}
