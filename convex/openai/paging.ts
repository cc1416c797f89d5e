import { storedId } from "../../app/batches/openai-objects.ts";

/** The wanted page of a list. `limit`: NaN if it is no number, which the list refuses. `after`: the item before the page. */
export type Paging = { readonly limit: number; readonly after?: string };

/** Reads `?limit=20&after=ID`. Ids of jobs have no prefix. */
export function pagingOf(request: Request, of: "file" | "batch" | "job"): Paging {
  const asked = new URL(request.url).searchParams;
  const limit = asked.get("limit") ?? "20";
  const after = asked.get("after");
  return {
    limit: /^\d{1,5}$/.test(limit) ? Number(limit) : Number.NaN,
    ...(after === null ? {} : { after: of === "job" ? after : storedId(of, after) }),
  };
}

/** OpenAI's list object. */
export function listBody(data: readonly { readonly id: string; readonly body: object }[], isDone: boolean) {
  return {
    object: "list",
    data: data.map(({ body }) => body),
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: !isDone,
  };
}
