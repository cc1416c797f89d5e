import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { api } from "../../../convex/_generated/api.js";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import type { AliasUser } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";

/** The API keys that a change of an alias affects. */
export function AliasUsers({ alias }: { readonly alias: string }): ReactNode {
  const users = useQuery(api.console.aliases.users, { session: useSession(), alias });
  return <AliasUsersView users={users} />;
}

export function AliasUsersView({ users }: { readonly users: readonly AliasUser[] | undefined }): ReactNode {
  if (users === undefined) return <p className="text-muted">Looking up who uses it…</p>;
  if (users.length === 0) return <p className="text-muted">No API key has used it.</p>;
  return (
    <div className="grid gap-1">
      <p>This affects {plural(users.length, ["# API key", "# API keys"])}:</p>
      <ul aria-label="API keys" tabIndex={0} className="grid max-h-40 list-disc gap-0.5 overflow-auto pl-4">
        {users.map(({ keyId, name, usedAt }) => (
          <li key={keyId} className="wrap-anywhere">
            {name} <span className="text-xs text-muted">used it last </span>
            <span className="text-xs text-muted">
              <RelativeTime at={usedAt} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
