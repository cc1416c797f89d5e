/** Everything that comes from a source. */
export async function listOf<Item>(source: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
