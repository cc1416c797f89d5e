type SetRules<Name extends string> = {
  readonly values: Readonly<Partial<Record<Name, unknown>>>;
  readonly locked: readonly Name[];
};

/**
 * A group's rules over its organization's. What a group says of a rule is its value and its lock together: either stands
 * for both.
 */
export function overrideRules<Name extends string>(
  under: SetRules<Name>,
  over: SetRules<Name>,
): { values: Partial<Record<Name, unknown>>; locked: Name[] } {
  const spokenOf = new Set<string>([...Object.keys(over.values), ...over.locked]);
  const kept = Object.entries(under.values).filter(([name]) => !spokenOf.has(name));
  return {
    values: { ...(Object.fromEntries(kept) as Partial<Record<Name, unknown>>), ...over.values },
    locked: [...under.locked.filter((name) => !spokenOf.has(name)), ...over.locked],
  };
}
