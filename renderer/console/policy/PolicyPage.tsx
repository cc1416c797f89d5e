import { useQuery } from "convex/react";
import { type ReactNode, useEffect, useState } from "react";
import { noOrganizationRules } from "../../../app/policy/rule-layers.ts";
import { readOrganizationRules } from "../../../app/policy/rule-schemas.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { messageOf } from "../data/refusal.ts";
import type { FleetCounts } from "../data/rows.ts";
import { useMemberMutation, useScope, useSession } from "../data/session-context.ts";
import { DataProtection } from "../data-classes/DataProtection.tsx";
import { changesOf, type Draft } from "./policy-draft.ts";
import { PolicyView } from "./PolicyView.tsx";
import { RestorePolicy } from "./RestorePolicy.tsx";
import { SaveRules } from "./SaveRules.tsx";

type KeptDraft = { readonly baseVersion: number; readonly draft: Draft };

/** Unsaved rules, by session and group. They survive visits to other pages and end with the tab. */
const keptDrafts = new Map<string, KeptDraft>();

export function PolicyPage(): ReactNode {
  const [group, setGroup] = useState("");
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (keptDrafts.size > 0) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
  return (
    <>
      <GroupPolicy key={group} group={group} onGroup={setGroup} />
      {group === "" ? <DataProtection /> : null}
    </>
  );
}

type Props = { readonly group: string; readonly onGroup: (group: string) => void };

function GroupPolicy({ group, onGroup }: Props): ReactNode {
  const session = useSession();
  const policy = useQuery(api.console.policy.get, { session, group });
  const organization = useQuery(api.console.policy.get, { session, group: "" });
  const named = useQuery(api.console.policy.groups, { session });
  const counts = useQuery(api.console.devices.counts, { session });
  const save = useMemberMutation(api.console.policy.save);
  const restore = useMemberMutation(api.console.policy.restore);
  const toast = useToast();
  const mayChange = useScope("policy.change") !== null;
  const draftKey = `${session} ${group}`;
  const [kept, setKept] = useState(keptDrafts.get(draftKey) ?? null);
  const [error, setError] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const [restoring, setRestoring] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  if (policy === undefined || organization === undefined || named === undefined) {
    return (
      <Card flush>
        <SkeletonRows rows={8} />
      </Card>
    );
  }
  const saved = readOrganizationRules(policy.rules);
  const draft: Draft = kept?.draft ?? saved;
  const baseVersion = kept?.baseVersion ?? policy.version;
  const edit = (next: Draft | null): void => {
    const isClean = next === null || changesOf(saved, next).length === 0;
    if (isClean) keptDrafts.delete(draftKey);
    else keptDrafts.set(draftKey, { baseVersion, draft: next });
    setKept(keptDrafts.get(draftKey) ?? null);
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
  const rules = { values: draft.values as Record<string, unknown>, locked: [...draft.locked] };
  const putBack = async (version: number, reason: string): Promise<void> => {
    const base = { session, group, baseVersion: policy.version };
    setBusy(true);
    try {
      const { version: put } = await restore({ ...base, version, reason });
      edit(null);
      const undo = (): void =>
        void restore({ session, group, baseVersion: put, version: base.baseVersion }).then(
          () => toast("The earlier rules are in force again."),
          (refused: unknown) => toast(messageOf(refused), "bad"),
        );
      toast(
        version === 0 ? "All rules were reset." : `Version ${String(version)} was restored.`,
        "good",
        undo,
      );
    } catch (refused) {
      setError(messageOf(refused));
    } finally {
      setBusy(false);
    }
  };
  const view = (
    <PolicyView
      group={group}
      groups={groupsOf(named, counts?.facets ?? [], group)}
      saved={saved}
      inherited={group === "" ? noOrganizationRules : readOrganizationRules(organization.rules)}
      versions={policy.versions}
      draft={draft}
      error={error}
      isOutdated={baseVersion !== policy.version}
      busy={busy}
      mayChange={mayChange}
      onGroup={onGroup}
      onDraft={edit}
      onDiscard={() => edit(null)}
      onSave={() => setIsSaving(true)}
      onRestore={setRestoring}
    />
  );
  return (
    <>
      {view}
      {isSaving ? (
        <SaveRules
          group={group}
          changes={changesOf(saved, draft)}
          draft={{ rules }}
          onConfirm={(reason) =>
            void act(() => save({ session, group, baseVersion, rules, reason }), "The rules were saved.")
          }
          onClose={() => setIsSaving(false)}
        />
      ) : null}
      {restoring === null ? null : (
        <RestorePolicy
          group={group}
          version={restoring}
          onConfirm={(reason) => void putBack(restoring, reason)}
          onClose={() => setRestoring(null)}
        />
      )}
    </>
  );
}

/** Groups with rules of their own or with devices. */
function groupsOf(
  named: readonly { readonly group: string }[],
  facets: FleetCounts["facets"],
  shown: string,
): readonly string[] {
  const groups = [
    ...named.map(({ group }) => group),
    ...facets.flatMap(({ of, name }) => (of === "group" ? name : [])),
    shown,
  ];
  return [...new Set(groups)].filter((group) => group !== "").sort();
}
