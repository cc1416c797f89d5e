import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { defaultAlias } from "../../../app/models/aliases.ts";
import { api } from "../../../convex/_generated/api.js";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { AliasRow, ModelRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { AliasDialog } from "./AliasDialog.tsx";
import { AliasesView } from "./AliasesView.tsx";
import { AliasUsers } from "./AliasUsers.tsx";

type Open =
  | { readonly kind: "new"; readonly name: string | null }
  | { readonly kind: "change" | "remove"; readonly row: AliasRow };

/** The aliases of a catalog. Every change can be undone. */
export function ModelAliases({ models }: { readonly models: readonly ModelRow[] | undefined }): ReactNode {
  const aliases = useQuery(api.console.aliases.list, { session: useSession() });
  const mayChange = useScope("models.change") !== null;
  const set = useAct(api.console.aliases.set);
  const remove = useAct(api.console.aliases.remove);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const put = async ({ alias, modelId }: { alias: string; modelId: string }): Promise<boolean> =>
    await set({ alias, modelId }, (before) => ({
      words: `${alias} stands for ${modelId} now.`,
      undo: () =>
        void (before === null
          ? remove({ alias }, `${alias} was removed.`)
          : set({ alias, modelId: before }, `${alias} stands for ${before} again.`)),
    }));
  const takeAway = async (alias: string): Promise<boolean> =>
    await remove({ alias }, (modelId) => ({
      words: `${alias} was removed.`,
      undo: () => void set({ alias, modelId }, `${alias} stands for ${modelId} again.`),
    }));
  return (
    <>
      <AliasesView
        aliases={models === undefined ? undefined : aliases}
        retired={(models ?? []).filter(({ retired }) => retired).map(({ modelId }) => modelId)}
        changes={
          mayChange
            ? {
                onAdd: () => setOpen({ kind: "new", name: null }),
                onSetDefault: () => setOpen({ kind: "new", name: defaultAlias }),
                onChange: (row) => setOpen({ kind: "change", row }),
                onRemove: (row) => setOpen({ kind: "remove", row }),
              }
            : null
        }
      />
      {open?.kind === "new" || open?.kind === "change" ? (
        <AliasDialog
          changed={open.kind === "change" ? open.row : null}
          newName={open.kind === "new" ? open.name : null}
          models={(models ?? []).filter(({ retired }) => !retired).map(({ modelId }) => modelId)}
          users={open.kind === "change" ? <AliasUsers alias={open.row.alias} /> : null}
          onSave={put}
          onClose={close}
        />
      ) : null}
      {open?.kind === "remove" ? (
        <Confirm
          title={`Remove ${open.row.alias}?`}
          action="Remove"
          danger
          onConfirm={() => void takeAway(open.row.alias)}
          onClose={close}
        >
          <p className="mb-2">
            {open.row.alias === defaultAlias
              ? "Requests that name no model are refused from then on. You can undo this."
              : "Requests with this name are refused from then on. You can undo this."}
          </p>
          <AliasUsers alias={open.row.alias} />
        </Confirm>
      ) : null}
    </>
  );
}
