import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { MemberRow } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { MemberSearch } from "../owners/MemberSearch.tsx";

type Props = {
  /** Resolves to false if the server refused. */
  readonly onAdd: (member: MemberRow) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Chooses a member with an address. In a large organization it searches for the member. */
export function AddRecipient({ onAdd, onClose }: Props): ReactNode {
  const session = useSession();
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState("");
  const paginationOpts = { numItems: 50, cursor: null };
  // It stays while a search runs, so the search field stays, too.
  const all = useQuery(api.console.people.list, { session, search: "", paginationOpts });
  const searched = useQuery(
    api.console.people.list,
    search.trim() === "" ? "skip" : { session, search, paginationOpts },
  );
  const found = search.trim() === "" ? all : searched;
  const members = (found?.page ?? []).filter(({ email, removedAt }) => email !== null && removedAt === null);
  const member = members.find(({ memberId }) => memberId === chosen);
  return (
    <Dialog title="Mail alerts to a member" onClose={onClose}>
      <DialogForm
        action="Add"
        disabled={member === undefined}
        onSubmit={async () => {
          if (member !== undefined && (await onAdd(member))) onClose();
        }}
        onClose={onClose}
      >
        <MemberSearch more={all?.isDone === false} search={search} onSearch={setSearch} />
        <Select
          label="Member"
          hint="Only members with an e-mail address are listed. Each mail has a link that ends them."
          value={member === undefined ? "" : chosen}
          options={[
            { value: "", label: "Choose…" },
            ...members.map(({ memberId, name, email }) => ({
              value: memberId,
              label: `${name} (${email ?? ""})`,
            })),
          ]}
          onChange={setChosen}
        />
      </DialogForm>
    </Dialog>
  );
}
