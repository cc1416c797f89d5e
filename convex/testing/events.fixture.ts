import { expect } from "vitest";

/** The named server-sent events of an answer, whose data repeats their names as `type`. Comments are left out. */
export async function eventsOf<Event extends { readonly type: string }>(
  response: Response,
): Promise<readonly Event[]> {
  const blocks = (await response.text()).split("\n\n").filter((block) => block.startsWith("event: "));
  return blocks.map((block) => {
    const [, type, data = ""] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? [];
    const event = JSON.parse(data) as Event;
    expect(event.type).toBe(type);
    return event;
  });
}
