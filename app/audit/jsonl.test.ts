import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { checkTrail, sealRows } from "./chain.ts";
import { jsonLines, readJsonLines } from "./jsonl.ts";

const hash = async (text: string): Promise<string> =>
  await Promise.resolve(createHash("sha256").update(text).digest("hex"));

const row = { id: "a", createdAt: 5.25, at: 5, actor: "setup", action: "x.y", subject: "s", detail: "d" };

it("an exported trail is read back, without its names, and its seals fit", async () => {
  const seal = await sealRows("org", null, [row], hash);
  const file = jsonLines([{ ...row, by: "Server setup", name: null, memberId: null }], [seal]);
  const read = readJsonLines(file);
  expect(read).toEqual({ rows: [row], seals: [seal] });
  expect(await checkTrail(read, hash)).toMatchObject({ seals: 1, unsealedRows: 0, broken: null });
  const changed = readJsonLines(file.replace('"detail":"d"', '"detail":"e"'));
  expect((await checkTrail(changed, hash)).broken).toEqual({ number: 1, why: "A row was changed." });
});

it.each(["{}", "not JSON", '{"kind":"row","id":1}'])("the wrong line %j is named", (line) => {
  expect(() => readJsonLines(`\n${line}\n`)).toThrow("Line 2 is no entry");
});
