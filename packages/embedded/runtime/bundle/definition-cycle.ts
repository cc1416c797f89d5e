/** Definitions that install each other without end, the first one named again at the end; null for none. */
export function findCycle(uses: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | null {
  const done = new Set<string>();
  const follow = (definition: string, path: readonly string[]): readonly string[] | null => {
    const at = path.indexOf(definition);
    if (at >= 0) return [...path.slice(at), definition];
    if (done.has(definition)) return null;
    for (const used of uses.get(definition) ?? []) {
      const cycle = follow(used, [...path, definition]);
      if (cycle !== null) return cycle;
    }
    done.add(definition);
    return null;
  };
  for (const definition of uses.keys()) {
    const cycle = follow(definition, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
