const variable = "GLEANER_TEST_LANDLOCK";

/** Tells a fixture which version of Landlock to act with. The product does not read this variable. */
export function landlockVariable(version: number): Readonly<Record<string, string>> {
  return { [variable]: String(version) };
}

/** Undefined: the kernel's own version. */
export function landlockOfTest(env: Readonly<Record<string, string | undefined>>): number | undefined {
  return env[variable] === undefined ? undefined : Number(env[variable]);
}
