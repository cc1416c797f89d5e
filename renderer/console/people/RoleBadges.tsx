import type { ReactNode } from "react";
import { type Role, roleWords } from "../../../app/people/roles.ts";
import { Badge } from "../../ui/Badge.tsx";

export function RoleBadges({ roles }: { readonly roles: readonly Role[] }): ReactNode {
  return (
    <span className="flex flex-wrap gap-1">
      {roles.map((role) => (
        <Badge key={role} tone={role === "owner" || role === "admin" ? "good" : "quiet"}>
          {roleWords(role)}
        </Badge>
      ))}
    </span>
  );
}
