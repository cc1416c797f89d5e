import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import type { ArchiveKind } from "../../../app/archives/kinds.ts";
import { formatMonth } from "../../../app/format/time.ts";
import { api } from "../../../convex/_generated/api.js";
import { useScope, useSession } from "../data/session-context.ts";
import { hrefOf } from "../shell/route.ts";

/** Says that older rows of a page are in archives, to members who may see these. Nothing before the first archive. */
export function ArchivedNote({ kind }: { readonly kind: ArchiveKind }): ReactNode {
  const session = useSession();
  const [now] = useState(Date.now);
  const isAllowed = useScope("archives.read") !== null;
  const retention = useQuery(api.console.retention.archives.retention, isAllowed ? { session, now } : "skip");
  const to = retention?.find((kept) => kept.kind === kind)?.archivedTo ?? null;
  return to === null ? null : <ArchivedWords to={to} />;
}

export function ArchivedWords({ to }: { readonly to: number }): ReactNode {
  return (
    <p className="border-t border-line px-4 py-2 text-muted">
      Entries before {formatMonth(to)} are in archives.{" "}
      <a href={hrefOf("archives")} className="font-medium text-accent hover:underline">
        Open the archives
      </a>
    </p>
  );
}
