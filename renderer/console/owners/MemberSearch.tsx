import type { ReactNode } from "react";
import { Field } from "../../ui/controls/Field.tsx";

type Props = {
  /** Whether the organization has more members than one list shows. */
  readonly more: boolean;
  readonly search: string;
  readonly onSearch: (text: string) => void;
};

/** Searches for a member where one list is too short for all. It stays while somebody types in it. */
export function MemberSearch({ more, search, onSearch }: Props): ReactNode {
  if (!more && search === "") return null;
  return (
    <Field
      label="Search for a member"
      type="search"
      value={search}
      onChange={(event) => onSearch(event.target.value)}
    />
  );
}
