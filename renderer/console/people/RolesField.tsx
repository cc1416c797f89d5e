import type { ReactNode } from "react";
import { type Role, roleDescriptions, roles, roleWords } from "../../../app/people/roles.ts";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";

type Props = {
  readonly value: readonly Role[];
  /** Only an owner makes or unmakes owners. */
  readonly mayMakeOwners: boolean;
  readonly error: string | null;
  readonly onChange: (value: readonly Role[]) => void;
};

/** The roles of a member, each with a sentence about it. */
export function RolesField({ value, mayMakeOwners, error, onChange }: Props): ReactNode {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">Roles</legend>
      {roles.map((role) => (
        <Checkbox
          key={role}
          label={roleWords(role)}
          hint={roleDescriptions[role]}
          checked={value.includes(role)}
          disabled={role === "owner" && !mayMakeOwners}
          onChange={(checked) =>
            onChange(roles.filter((one) => (one === role ? checked : value.includes(one))))
          }
        />
      ))}
      {error === null ? null : (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}
