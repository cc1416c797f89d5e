import type { Right } from "../../../app/people/rights.ts";
import type { PageId } from "../shell/pages.ts";

/** An action that opens a dialog of a page. The page reads it from the address with `useOpened`. */
export type Action = {
  readonly id: string;
  readonly title: string;
  readonly right: Right;
  readonly page: PageId;
};

/** The actions that the palette offers on every page. */
export const actions = [
  { id: "new-key", title: "New API key", right: "keys.create", page: "keys" },
  { id: "new-code", title: "New enrollment code", right: "enrollment.change", page: "codes" },
  { id: "new-model", title: "Add model", right: "models.change", page: "models" },
] as const satisfies readonly Action[];

export type ActionId = (typeof actions)[number]["id"];
