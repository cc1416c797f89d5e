import { expect, it } from "vitest";
import { shelf } from "../../../app/models/shelf.ts";
import { hostsFrom, isAllowed, parseModelLink } from "./modelLink.ts";

it("offers models on the hub, ordered by memory, each once", () => {
  for (const { link } of shelf) {
    const parsed = parseModelLink(link)!;
    expect([link, parsed.source]).toEqual([link, `hf:${link}`]);
    expect(isAllowed(new URL(parsed.url), hostsFrom(undefined))).toBe(true);
  }
  const memories = shelf.map(({ memoryGb }) => memoryGb);
  expect(memories).toEqual([...memories].sort((a, b) => a - b));
  expect(new Set(shelf.map(({ link }) => link)).size).toBe(shelf.length);
});
