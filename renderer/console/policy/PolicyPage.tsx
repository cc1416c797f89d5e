import { useMutation, useQuery } from "convex/react";
import { type ReactNode, useEffect, useState } from "react";
import { noOrganizationRules } from "../../../app/policy/rule-layers.ts";
import { readOrganizationRules } from "../../../app/policy/rule-schemas.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { messageOf } from "../data/refusal.ts";
import { useSession } from "../data/session-context.ts";
import { hasDrafts, keepDraft, keptDraft } from "./draft-store.ts";
import { changesOf, type Draft } from "./policy-draft.ts";
import { PolicyView } from "./PolicyView.tsx";

export function PolicyPage(): ReactNode {
  const [group, setGroup] = useState("");
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (hasDrafts()) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
  return <GroupPolicy key={group} group={group} onGroup={setGroup} />;
}

type Props = { readonly group: string; readonly onGroup: (group: string) => void };

function GroupPolicy({ group, onGroup }: Props): ReactNode {
  const session = useSession();
  const policy = useQuery(api.adminPolicy.get, { session, group });
  const everybody = useQuery(api.adminPolicy.get, { session, group: "" });
  const named = useQuery(api.adminPolicy.groups, { session });
  const devices = useQuery(api.admin.devices, { session });
  const save = useMutation(api.adminPolicy.save);
  const restore = useMutation(api.adminPolicy.restore);
  const toast = useToast();
  const [editing, setEditing] = useState(() => keptDraft(session, group));
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (policy === undefined || everybody === undefined || named === undefined) {
    return (
      <Card flush>
        <SkeletonRows rows={8} />
      </Card>
    );
  }
  const saved = readOrganizationRules(policy.rules);
  const draft: Draft = editing?.draft ?? saved;
  const baseVersion = editing?.baseVersion ?? policy.version;
  const edit = (next: Draft | null): void => {
    const kept = next === null || changesOf(saved, next).length === 0 ? null : { baseVersion, draft: next };
    keepDraft(session, group, kept);
    setEditing(kept);
    setError(null);
  };
  const act = async (call: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(true);
    try {
      await call();
      edit(null);
      toast(done);
    } catch (refused) {
      setError(messageOf(refused));
    } finally {
      setBusy(false);
    }
  };
  return (
    <PolicyView
      group={group}
      groups={groupsOf(named, devices ?? [], group)}
      saved={saved}
      under={group === "" ? noOrganizationRules : readOrganizationRules(everybody.rules)}
      versions={policy.versions}
      draft={draft}
      error={error}
      isOutdated={baseVersion !== policy.version}
      busy={busy}
      onGroup={onGroup}
      onDraft={edit}
      onDiscard={() => edit(null)}
      onSave={() => {
        const rules = { values: draft.values as Record<string, unknown>, locked: [...draft.locked] };
        void act(() => save({ session, group, baseVersion, rules }), "The rules are in force.");
      }}
      onRestore={(version) =>
        void act(
          () => restore({ session, group, baseVersion: policy.version, version }),
          version === 0 ? "All rules are unset again." : `Version ${String(version)} is in force again.`,
        )
      }
    />
  );
}

/** Groups with rules of their own or with devices. */
function groupsOf(
  named: readonly { readonly group: string }[],
  devices: readonly { readonly groups: readonly string[] }[],
  shown: string,
): readonly string[] {
  const groups = [...named.map(({ group }) => group), ...devices.flatMap(({ groups: of }) => of), shown];
  return [...new Set(groups)].filter((group) => group !== "").sort();
}
