/** An import failed. The message is for the person who started it. Nothing of the import was kept. */
export class ImportFailure extends Error {
  override readonly name = "ImportFailure";
}

/** Creates an ImportFailure that names the file and line of a problem. */
export function at(file: string, line: number, problem: string): ImportFailure {
  return new ImportFailure(`${file}, line ${String(line)}: ${problem}`);
}
