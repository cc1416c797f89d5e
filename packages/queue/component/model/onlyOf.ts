/**
 * The only row of a range that has one at most, by our own writing. `unique` would read on, to see that no second
 * one comes: a step more for each row that is found, and steps are what a short call is made of.
 */
export async function onlyOf<Row>(rows: AsyncIterable<Row>): Promise<Row | null> {
  for await (const row of rows) return row;
  return null;
}
