import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Select } from "../../ui/controls/Select.tsx";
import type { OwnerId, Owners } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { MemberSearch } from "./MemberSearch.tsx";

type Props = {
  readonly label: string;
  readonly value: OwnerId | null;
  /** The words for no owner; left out: somebody must be chosen. */
  readonly nobody?: string;
  /** Not offered, since it has the thing already or leaves. */
  readonly except?: string;
  readonly onChange: (owner: OwnerId | null) => void;
};

/** Chooses a member or a team. In a large organization it searches for the member. */
export function OwnerPicker(props: Props): ReactNode {
  const session = useSession();
  const [search, setSearch] = useState("");
  const all = useQuery(api.console.account.owners, { session });
  const found = useQuery(api.console.account.owners, search.trim() === "" ? "skip" : { session, search });
  const owners = search.trim() === "" ? all : found;
  return (
    <div className="grid gap-3">
      <MemberSearch more={all?.more === true} search={search} onSearch={setSearch} />
      <OwnerSelect {...props} owners={owners} />
    </div>
  );
}

/** The list to choose from. Undefined owners: they load. */
export function OwnerSelect({
  label,
  value,
  nobody,
  except,
  onChange,
  owners,
}: Props & { readonly owners: Owners | undefined }): ReactNode {
  const { members = [], teams = [] } = owners ?? {};
  const options = [
    { value: "", label: nobody ?? "Choose…" },
    ...members.map(({ id, name }) => ({ value: id, label: name })),
    ...teams.map(({ id, name }) => ({ value: id, label: `${name} (team)` })),
  ].filter((option) => option.value !== except);
  // A chosen member stays while a search lists others.
  const known = options.some((option) => option.value === (value ?? ""));
  return (
    <Select
      label={label}
      value={known ? (value ?? "") : ""}
      options={options}
      onChange={(chosen) => onChange(chosen === "" ? null : (chosen as OwnerId))}
    />
  );
}
