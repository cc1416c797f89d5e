import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import type { DataClass } from "../../../app/keys/data-classes.ts";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useLongAct, useScope, useSession } from "../data/session-context.ts";
import { DataClassesView } from "./DataClassesView.tsx";
import { DataKeyView } from "./DataKeyView.tsx";

/** The rules for classes of data, and the key with which prompts and answers are encrypted. */
export function DataProtection(): ReactNode {
  const session = useSession();
  const classes = useQuery(api.console.data.classes.list, { session });
  const dataKey = useQuery(api.console.data.keys.state, { session });
  const mayChange = useScope("payloads.change") !== null;
  const set = useAct(api.console.data.classes.set);
  const destroy = useLongAct(api.console.data.keys.destroy);
  const save = (next: readonly DataClass[], words: string): void => {
    const asked = next.map((each) => ({ ...each, groups: [...each.groups] }));
    void set({ classes: asked }, (before) => ({
      words,
      undo: () => void set({ classes: before }, "The change was undone."),
    }));
  };
  return (
    <div className="mt-4 grid gap-4">
      <DataClassesView classes={classes} onSave={mayChange ? save : null} />
      <DataKeyView
        dataKey={dataKey}
        onDestroy={mayChange ? () => void destroy({}, "All prompts and answers were deleted.") : null}
      />
    </div>
  );
}
