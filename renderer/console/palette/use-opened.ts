import { useFilter } from "../shell/route.ts";
import type { ActionId } from "./actions.ts";

/** Whether the dialog of an action is open. It is in the address, so that a link and the palette can open it. */
export function useOpened(action: ActionId): readonly [boolean, (isOpen: boolean) => void] {
  const [opened, setOpened] = useFilter("open");
  return [opened === action, (isOpen) => setOpened(isOpen ? action : "")];
}
