import { AuditView } from "../console/audit/AuditPage.tsx";
import { OldestVersion } from "../console/devices/OldestVersion.tsx";
import { PendingDevices } from "../console/devices/PendingDevices.tsx";
import { DevicesTable } from "../console/devices/table/DevicesTable.tsx";
import { CodeDevices } from "../console/enrollment/CodeDevices.tsx";
import { CodeMade } from "../console/enrollment/CodeMade.tsx";
import { CodesView } from "../console/enrollment/CodesView.tsx";
import { JobsView } from "../console/jobs/JobsView.tsx";
import { KeysView } from "../console/keys/KeysView.tsx";
import { ModelsView } from "../console/models/ModelsView.tsx";
import { AttentionList } from "../console/overview/AttentionList.tsx";
import { Card } from "../ui/Card.tsx";
import { Confirm } from "../ui/overlays/Confirm.tsx";
import { Dialog } from "../ui/overlays/Dialog.tsx";
import { auditProps } from "./fixtures/audit-props.ts";
import * as rows from "./fixtures/console-rows.ts";
import * as deviceRows from "./fixtures/device-rows.ts";
import { linesOf } from "./fixtures/device-rows.ts";
import * as edge from "./fixtures/edge-rows.ts";
import { jobFilters } from "./fixtures/job-filters.ts";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const onCode = { onCreate: nothing, onOpen: nothing, onRevoke: nothing } as const;
const onKey = {
  onMore: null,
  loadingMore: false,
  onCreate: nothing,
  onLimit: nothing,
  onCredits: nothing,
  onAllowance: nothing,
  onEndAllowance: nothing,
  onEntitle: nothing,
  onAccess: nothing,
  onRotate: nothing,
  onEndFormer: nothing,
  onLift: nothing,
  onHandOver: nothing,
  onRevoke: nothing,
} as const;
const actions = {
  change: {
    retire: nothing,
    reinstate: nothing,
    label: nothing,
    limit: nothing,
    resume: nothing,
    release: nothing,
  },
  pause: { ask: nothing, end: nothing },
  handOver: nothing,
};
const none = { pending: 0, active: 0, retired: 0, devices: [] };

/** States of the console's pages that are rare: long names, many rows, no rows, and decisions. */
export function consoleEdgeStories(now: number): readonly Story[] {
  const [restricted] = rows.keys(now).filter(({ restriction }) => restriction !== null);
  const codeDevices = (id: string, devices: Parameters<typeof CodeDevices>[0]["devices"]): Story =>
    inShell(
      id,
      "codes",
      <>
        <CodesView codes={deviceRows.codes(now)} {...onCode} />
        {deviceRows
          .codes(now)
          .slice(1, 2)
          .map((code) => (
            <CodeDevices
              key={code.codeId}
              code={code}
              devices={devices}
              onRetireAll={nothing}
              onClose={nothing}
            />
          ))}
      </>,
    );
  return [
    inShell(
      "console-devices-long",
      "devices",
      <>
        <PendingDevices devices={edge.longPending(now)} onApprove={nothing} onRefuse={nothing} />
        <Card flush>
          <DevicesTable devices={linesOf(edge.longDevices(now))} actions={actions} />
        </Card>
      </>,
    ),
    inShell(
      "console-devices-loading",
      "devices",
      <Card flush>
        <DevicesTable devices={undefined} actions={actions} />
      </Card>,
    ),
    inShell(
      "console-oldest-version",
      "devices",
      <Card flush>
        <OldestVersion
          oldest="0.2.0"
          outdated={0}
          versions={[{ name: "0.1.0", devices: 12 }]}
          onSet={nothing}
          initialAsked="0.2.0"
        />
      </Card>,
    ),
    codeDevices("console-code-devices", deviceRows.codeDevices(now)),
    codeDevices("console-code-devices-many", edge.manyCodeDevices(now)),
    codeDevices("console-code-devices-long", edge.longCodeDevices(now)),
    codeDevices("console-code-devices-none", none),
    codeDevices("console-code-devices-loading", undefined),
    inShell(
      "console-attention-many",
      "overview",
      <AttentionList items={[...rows.attention(now), ...edge.unservedModels(now)]} />,
    ),
    inShell("console-codes-long", "codes", <CodesView codes={edge.longCodes(now)} {...onCode} />),
    codeMade("console-code-made-authority", { url: "https://gleaner.northwind.example", pin: null }),
    codeMade("console-code-made-http", { url: "http://192.0.2.7:3210", pin: null }),
    codeMade("console-code-made-loopback", { url: "http://127.0.0.1:3210", pin: null }),
    codeMade("console-code-made-loading", null),
    inShell("console-keys-long", "keys", <KeysView {...onKey} keys={edge.longKeys(now)} />),
    inShell(
      "console-key-restricted",
      "keys",
      <KeysView
        {...onKey}
        keys={
          restricted === undefined
            ? []
            : [{ ...restricted, restriction: { of: "all", until: now + 3_600_000 } }]
        }
      />,
    ),
    inShell(
      "console-jobs-long",
      "jobs",
      <JobsView
        jobs={edge.longJobs(now)}
        filters={jobFilters}
        onBulk={nothing}
        deadLetters={null}
        onMore={null}
        loadingMore={false}
      />,
    ),
    inShell(
      "console-models-long",
      "models",
      <ModelsView
        models={edge.longModels(now)}
        signingKey={null}
        prices={null}
        opened={null}
        devicesOf={() => null}
        rollouts={[]}
        rolloutOf={() => null}
        onOpen={nothing}
        changes={{ onAdd: nothing, onEdit: nothing, onRetire: nothing, onReinstate: nothing }}
      />,
    ),
    inShell(
      "console-audit-protections",
      "audit",
      <AuditView rows={edge.protections(now)} {...auditProps} onMore={nothing} />,
    ),
    inShell(
      "console-audit-no-fit",
      "audit",
      <AuditView
        rows={[]}
        {...auditProps}
        filter={{ ...auditProps.filter, subject: "jx7ezabtsqrdns1nj36fm5s0bz3zmn53", action: "refusals" }}
        report={{ words: "Exporting: 4,200 entries", tone: "busy" }}
        onMore={null}
      />,
    ),
    inShell(
      "console-audit-long",
      "audit",
      <AuditView rows={edge.longAudit(now)} {...auditProps} onMore={null} />,
    ),
    inShell(
      "console-confirm-long",
      "devices",
      <Confirm
        title={`Retire ${edge.longDevices(now)[2]?.name ?? ""}?`}
        action="Retire"
        danger
        onConfirm={nothing}
        onClose={nothing}
      >
        It gets no more jobs. You can reinstate it at any time.
      </Confirm>,
    ),
  ];
}

function codeMade(id: string, address: Parameters<typeof CodeMade>[0]["address"]): Story {
  return inShell(
    id,
    "codes",
    <Dialog title="Code for Design team" onClose={nothing}>
      <CodeMade
        code="GLN-7K2M-9QXD-4WHT"
        address={address}
        page="https://192.0.2.7:3211/console/"
        onDone={nothing}
      />
    </Dialog>,
  );
}
