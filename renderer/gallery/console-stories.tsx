import { RecipientsView } from "../console/alerts/RecipientsView.tsx";
import { AuditView } from "../console/audit/AuditPage.tsx";
import { ChecksView } from "../console/checks/ChecksView.tsx";
import { StandingView } from "../console/checks/DeviceStanding.tsx";
import { BulkBar } from "../console/devices/bulk/BulkDevices.tsx";
import { type Bulk, BulkView } from "../console/devices/bulk/BulkProgress.tsx";
import { UpdateDialog } from "../console/devices/bulk/UpdateDialog.tsx";
import { DeviceLabels } from "../console/devices/DeviceLabels.tsx";
import { DeviceLimits } from "../console/devices/DeviceLimits.tsx";
import { noFilters } from "../console/devices/fleet-filters.ts";
import { FleetFilters } from "../console/devices/FleetFilters.tsx";
import { OldestVersion } from "../console/devices/OldestVersion.tsx";
import { OwnDevicesView } from "../console/devices/OwnDevices.tsx";
import { DeviceFacts } from "../console/devices/page/DeviceFacts.tsx";
import { DeviceView } from "../console/devices/page/DeviceView.tsx";
import { PendingDevices } from "../console/devices/PendingDevices.tsx";
import { formOf } from "../console/devices/rules/rule-form.ts";
import { RuleDialog } from "../console/devices/rules/RuleDialog.tsx";
import { RulePreviewWords } from "../console/devices/rules/RulePreviewWords.tsx";
import { RulesView } from "../console/devices/rules/RulesView.tsx";
import { DevicesTable } from "../console/devices/table/DevicesTable.tsx";
import { ManageViews } from "../console/devices/views/ManageViews.tsx";
import { ViewMenu } from "../console/devices/views/SavedViews.tsx";
import { SaveView } from "../console/devices/views/SaveView.tsx";
import { CodeMade } from "../console/enrollment/CodeMade.tsx";
import { CodesView } from "../console/enrollment/CodesView.tsx";
import { NewCode } from "../console/enrollment/NewCode.tsx";
import { JobDetails } from "../console/jobs/JobDetails.tsx";
import { JobPayload } from "../console/jobs/JobPayload.tsx";
import { JobsView } from "../console/jobs/JobsView.tsx";
import { KeyAccess } from "../console/keys/KeyAccess.tsx";
import { KeyLimits } from "../console/keys/KeyLimits.tsx";
import { KeyMade } from "../console/keys/KeyMade.tsx";
import { KeyRights } from "../console/keys/KeyRights.tsx";
import { KeysView } from "../console/keys/KeysView.tsx";
import { NewKey } from "../console/keys/NewKey.tsx";
import { PageOrigins } from "../console/keys/PageOrigins.tsx";
import { RotateKey } from "../console/keys/RotateKey.tsx";
import { AliasDialog } from "../console/models/AliasDialog.tsx";
import { AliasesView } from "../console/models/AliasesView.tsx";
import { AliasUsersView } from "../console/models/AliasUsers.tsx";
import { LinkField } from "../console/models/LinkField.tsx";
import { emptyForm } from "../console/models/model-form.ts";
import { ModelDevicesView } from "../console/models/ModelDevices.tsx";
import { ModelDialog } from "../console/models/ModelDialog.tsx";
import { ModelsView } from "../console/models/ModelsView.tsx";
import { PriorityPrices } from "../console/models/PriorityPrices.tsx";
import { RetireModelView } from "../console/models/RetireModel.tsx";
import { OverviewView } from "../console/overview/OverviewPage.tsx";
import { OwnerSelect } from "../console/owners/OwnerPicker.tsx";
import { PolicyView } from "../console/policy/PolicyView.tsx";
import { ReviewRules } from "../console/policy/ReviewRules.tsx";
import { QueueChartsView } from "../console/queue/QueueCharts.tsx";
import { QueueView } from "../console/queue/QueuePage.tsx";
import { QueueSettings } from "../console/queue/QueueSettings.tsx";
import { JoinPage } from "../console/session/JoinPage.tsx";
import { refusalWords } from "../console/session/sign-in.ts";
import { SignedOut } from "../console/session/SignedOut.tsx";
import { FullPage } from "../console/shell/FullPage.tsx";
import { PageErrors } from "../console/shell/PageErrors.tsx";
import { Unreachable } from "../console/shell/Unreachable.tsx";
import { MetricsToken } from "../console/statistics/MetricsToken.tsx";
import { StatisticsView } from "../console/statistics/StatisticsView.tsx";
import { WebhookDetails } from "../console/webhooks/WebhookDetails.tsx";
import { WebhookDialog } from "../console/webhooks/WebhookDialog.tsx";
import { WebhooksView } from "../console/webhooks/WebhooksView.tsx";
import { Card } from "../ui/Card.tsx";
import { LoadMore } from "../ui/LoadMore.tsx";
import { Confirm } from "../ui/overlays/Confirm.tsx";
import { Dialog } from "../ui/overlays/Dialog.tsx";
import { auditProps } from "./fixtures/audit-props.ts";
import { batchRows } from "./fixtures/batch-rows.ts";
import { comfortHours, fleetComfort } from "./fixtures/comfort.ts";
import * as rows from "./fixtures/console-rows.ts";
import * as deviceRows from "./fixtures/device-rows.ts";
import { linesOf } from "./fixtures/device-rows.ts";
import { jobFilters } from "./fixtures/job-filters.ts";
import * as jobRows from "./fixtures/job-rows.ts";
import { owners } from "./fixtures/people-rows.ts";
import { statistics } from "./fixtures/statistics-rows.ts";
import * as webhookRows from "./fixtures/webhook-rows.ts";
import { inShell, page } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;

const queueSettings = {
  maxQueued: { own: 20_000, operators: 200_000 },
  maxQueuedPerRequester: { own: null, operators: 100_000 },
  maxCallWaitMs: { own: 120_000, operators: 300_000 },
  maxWaitMs: { own: null, operators: 86_400_000 },
};
const noOwnSettings = {
  maxQueued: null,
  maxQueuedPerRequester: null,
  maxCallWaitMs: null,
  maxWaitMs: null,
};

const policyRules = {
  values: { idleAfterSeconds: 300, shareModels: true, allowOnBattery: false },
  locked: ["idleAfterSeconds", "allowOnBattery"],
} as const;
const limitedInUse = { mode: "limited", threads: 1, gpu: false, memoryMb: 2_048 } as const;
const atNight = { days: [0, 1, 2, 3, 4], fromMinute: 1_140, toMinute: 420 };

const policyView = (now: number) =>
  ({
    group: "",
    groups: ["lab", "meeting rooms"],
    saved: policyRules,
    inherited: { values: {}, locked: [] },
    versions: rows.policyVersions(now),
    draft: policyRules,
    error: null,
    isOutdated: false,
    busy: false,
    mayChange: true,
    onGroup: nothing,
    onDraft: nothing,
    onSave: nothing,
    onDiscard: nothing,
    onRestore: nothing,
  }) as const;

const joinAddress = { url: "https://192.0.2.7:3210", pin: `sha256:${"3f9a0c7d".repeat(8)}` };

const deadFilters = { ...jobFilters, status: "dead" } as const;
const jobChanges = { prioritize: nothing, cancel: nothing, retry: nothing, discard: nothing };
const letter = [
  { from: "system", text: "You write short letters." },
  { from: "user", text: "Thank Grace for the compiler. ".repeat(12) },
];
const payload = { onLook: nothing, onHide: nothing, ownersMayLook: false, onAccess: nothing };

const queueCharts = {
  kinds: ["model", "lane", "key"],
  by: "model",
  subject: "",
  range: "day",
  onBy: nothing,
  onSubject: nothing,
  onRange: nothing,
} as const;

const priorityPrices = {
  prices: { low: 50, normal: 100, high: 200 },
  draft: null,
  unfinished: undefined,
  onDraft: nothing,
  onSet: nothing,
} as const;

const queueLimits = {
  settings: queueSettings,
  before: null,
  draft: null,
  reaches: undefined,
  onDraft: nothing,
  onSave: nothing,
  onUndo: nothing,
} as const;

const noneBeyond = { beyond: 0, over: { count: 0, exact: true } };

const modelsView = {
  opened: null,
  prices: <PriorityPrices {...priorityPrices} />,
  signingKey: "3dQBfD6EOJWpK3CqdNG362yYKcz1LsSWjM0M1F8KRmA",
  devicesOf: () => null,
  rollouts: [],
  rolloutOf: () => null,
  onOpen: nothing,
  changes: { onAdd: nothing, onEdit: nothing, onRetire: nothing, onReinstate: nothing },
} as const;

const pageOrigins = {
  own: ["https://chat.example.com", "http://localhost:5173"],
  operators: null,
  onSet: nothing,
} as const;

const statisticsView = {
  by: "model",
  range: "day",
  onBy: nothing,
  onRange: nothing,
  metrics: (
    <MetricsToken
      token={null}
      apiBase="https://gleaner.example.org"
      changes={{ onCreate: () => Promise.resolve(null), onRemove: nothing }}
    />
  ),
} as const;

const pausing = {
  act: { kind: "pause", group: "" },
  code: null,
  counts: { changes: 9, same: 3, cannot: 0 },
  done: 0,
} as const;

const ruleChanges = { onAdd: nothing, onEdit: nothing, onRemove: nothing, onMove: nothing };

const updating = { changes: 120, same: 31, cannot: 2 };

/** The steps of an act on many devices. */
const bulkViews: readonly (readonly [string, Bulk])[] = [
  ["preview", { ...pausing, state: "found" }],
  ["running", { ...pausing, state: "running", done: 4 }],
  ["done", { ...pausing, state: "done", done: 9 }],
  [
    "update",
    { ...pausing, act: { kind: "update", group: "", version: "0.5.0" }, counts: updating, state: "found" },
  ],
  ["retire-code", { ...pausing, act: { kind: "retire", group: "" }, code: "Volunteers", state: "found" }],
  ["undone", { ...pausing, state: "undone", done: 8 }],
];

const deviceView = (now: number) =>
  ({
    device: undefined,
    journal: deviceRows.journal(now),
    outcomes: deviceRows.outcomes,
    comfort: comfortHours(now),
    ratings: { good: 41, bad: 3, upheld: 1, more: false },
    attempts: deviceRows.attempts(now),
    earned: Array.from({ length: 7 }, (_, at) => ({
      startAt: new Date(now).setHours(0, 0, 0, 0) - (6 - at) * 86_400_000,
      micro: BigInt(((at * 37) % 11) * 1_200_000),
    })),
    linksJobs: true,
    actions: undefined,
    onMore: nothing,
    loadingMore: false,
  }) satisfies Parameters<typeof DeviceView>[0];

export function consoleStories(now: number): readonly Story[] {
  const jobs = jobRows.jobs(now);
  const devices = deviceRows.devices(now);
  const queue = jobRows.queue(now);
  const jobsView = {
    filters: jobFilters,
    onBulk: nothing,
    deadLetters: { onRetry: nothing, onRetryAll: nothing, onDiscard: nothing },
    onMore: null,
    loadingMore: false,
  } as const;
  const keysView = {
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
  return [
    inShell(
      "console-overview",
      "overview",
      <OverviewView
        summary={rows.summary}
        attention={rows.attention(now)}
        queue={queue}
        devices={linesOf(devices)}
        batches={batchRows(now).slice(1, 3)}
        comfort={fleetComfort}
        jobs={jobs.slice(0, 8)}
      />,
    ),
    inShell(
      "console-overview-loading",
      "overview",
      <OverviewView
        summary={undefined}
        attention={[]}
        queue={undefined}
        devices={undefined}
        jobs={undefined}
      />,
      "connecting",
    ),
    inShell(
      "console-overview-empty",
      "overview",
      <OverviewView summary={emptySummary} attention={[]} queue={noQueue} devices={[]} jobs={[]} />,
    ),
    inShell(
      "console-overview-lost",
      "overview",
      <OverviewView
        summary={rows.summary}
        attention={[]}
        queue={queue}
        devices={linesOf(devices)}
        jobs={jobs}
      />,
      "lost",
    ),
    inShell(
      "console-devices",
      "devices",
      <Card flush>
        <DevicesTable devices={linesOf(devices)} actions={actions} />
        <OldestVersion oldest="0.2.0" outdated={2} versions={null} onSet={nothing} />
      </Card>,
    ),
    inShell(
      "console-fleet",
      "devices",
      <Card flush>
        <FleetFilters
          filters={{ ...noFilters, q: "lap", state: "online", memory: "16", fits: "4.2", gpu: "any" }}
          counts={deviceRows.fleetCounts(now)}
          modelIds={["gleaner-demo"]}
          onFilters={nothing}
          views={
            <ViewMenu
              views={deviceRows.views}
              filters={{ ...noFilters, q: "lap", state: "online" }}
              onOpen={nothing}
              onSave={nothing}
              onManage={nothing}
            />
          }
        />
        <DevicesTable devices={linesOf(devices, 3)} actions={actions} />
        <LoadMore onMore={nothing} loading={false} />
      </Card>,
    ),
    inShell(
      "console-devices-columns",
      "devices",
      <Card flush>
        <DevicesTable
          devices={linesOf(devices, 3)}
          columns={["name", "activity", "system", "version", "owner", "memory", "gpu", "models"]}
          actions={actions}
        />
      </Card>,
    ),
    inShell(
      "console-devices-selected",
      "devices",
      <Card flush>
        <BulkBar selection={new Set(["d1", "d2"])} onAct={nothing} onSelect={nothing} />
        <DevicesTable
          devices={linesOf(devices, 3)}
          actions={actions}
          selecting={{ isSelected: (deviceId) => deviceId !== "d3", onSelect: nothing }}
        />
      </Card>,
    ),
    inShell(
      "console-views",
      "devices",
      <ManageViews
        views={deviceRows.views}
        mayShare
        onRename={nothing}
        onOverwrite={nothing}
        onShare={nothing}
        onDelete={nothing}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-view-save",
      "devices",
      <SaveView mayShare onSave={() => Promise.resolve(true)} onClose={nothing} />,
    ),
    inShell("console-group-rules", "devices", <RulesView rules={deviceRows.rules} changes={ruleChanges} />),
    inShell("console-group-rules-none", "devices", <RulesView rules={[]} changes={ruleChanges} />),
    inShell(
      "console-group-rule",
      "devices",
      <RuleDialog
        title="Add a rule"
        initial={formOf({ group: "meeting rooms", filter: { named: "meeting room", memoryGb: 16 } })}
        ownerPicker={(value, onChange) => (
          <OwnerSelect
            label="Owner"
            value={value ?? null}
            nobody="Anybody"
            onChange={onChange}
            owners={owners}
          />
        )}
        preview={() => <RulePreviewWords preview={deviceRows.rulePreview} />}
        onSave={() => Promise.resolve(true)}
        onClose={nothing}
      />,
    ),
    ...bulkViews.map(([id, bulk]) =>
      inShell(
        `console-bulk-${id}`,
        "devices",
        <BulkView bulk={bulk} onRun={nothing} onUndo={nothing} onClose={nothing} />,
      ),
    ),
    inShell(
      "console-bulk-version",
      "devices",
      <UpdateDialog newest="0.5.0" onVersion={nothing} onClose={nothing} />,
    ),
    inShell(
      "console-own-devices",
      "devices",
      <OwnDevicesView
        devices={linesOf(devices).filter(({ listed }) => ["d1", "d5", "d7", "d12"].includes(listed.deviceId))}
        onPause={nothing}
        onResume={nothing}
      />,
    ),
    inShell(
      "console-own-devices-none",
      "devices",
      <OwnDevicesView devices={[]} onPause={nothing} onResume={nothing} />,
    ),
    inShell(
      "console-checks",
      "checks",
      <ChecksView
        mode="watch"
        onMode={nothing}
        sides={3}
        cases={rows.checkCases(now)}
        moreCases={{ onMore: null, loading: false }}
        checks={rows.checks(now)}
        moreChecks={{ onMore: nothing, loading: false }}
        linksJobs
        canaries={{
          pool: { counts: rows.canaryCounts, prompts: ["Write a poem about {city} for {name}."] },
          rows: rows.canaries(now),
          more: { onMore: null, loading: false },
          onSave: nothing,
        }}
      />,
    ),
    inShell(
      "console-checks-none",
      "checks",
      <ChecksView
        mode="watch"
        onMode={null}
        sides={1}
        cases={[]}
        moreCases={{ onMore: null, loading: false }}
        checks={[]}
        moreChecks={{ onMore: null, loading: false }}
        linksJobs={false}
        canaries={{
          pool: { counts: [], prompts: null },
          rows: [],
          more: { onMore: null, loading: false },
          onSave: nothing,
        }}
      />,
    ),
    inShell(
      "console-alerts",
      "alerts",
      <RecipientsView
        mails={rows.alertMails(now)}
        changes={{ addDialog: () => null, onTest: nothing, onRemove: nothing }}
      />,
    ),
    inShell(
      "console-alerts-none",
      "alerts",
      <RecipientsView mails={{ ready: false, recipients: [] }} changes={null} />,
    ),
    inShell(
      "console-webhooks",
      "webhooks",
      <WebhooksView webhooks={webhookRows.webhooks(now)} changes={webhookRows.changes} onAdd={nothing} />,
    ),
    inShell("console-webhooks-none", "webhooks", <WebhooksView webhooks={[]} changes={null} onAdd={null} />),
    ...webhookRows
      .webhooks(now)
      .slice(1, 2)
      .map((webhook) =>
        inShell(
          "console-webhook",
          "webhooks",
          <WebhookDetails
            webhook={webhook}
            changes={webhookRows.changes}
            deliveries={webhookRows.deliveries(now)}
            state=""
            onState={nothing}
            opened={webhookRows.deliveries(now)[1]?.deliveryId ?? null}
            onOpen={nothing}
            onMore={null}
            loadingMore={false}
            onResend={nothing}
            onResendFailed={nothing}
          />,
        ),
      ),
    inShell(
      "console-webhook-dialog",
      "webhooks",
      <WebhookDialog
        webhook={webhookRows.webhooks(now)[0] ?? null}
        keys={[]}
        onSave={() => Promise.resolve(true)}
        onClose={nothing}
      />,
    ),
    ...devices
      .slice(0, 1)
      .map((device) =>
        inShell(
          "console-device",
          "devices",
          <DeviceView
            {...deviceView(now)}
            device={device}
            standing={<StandingView found={rows.standings()} onRelease={nothing} />}
            actions={actions}
          />,
        ),
      ),
    ...devices.slice(0, 1).map((device) =>
      inShell(
        "console-device-facts",
        "devices",
        <Card title="About this device">
          <DeviceFacts device={device} initiallyOpen />
        </Card>,
      ),
    ),
    ...devices
      .slice(1, 2)
      .map((device) =>
        inShell(
          "console-device-rolled-back",
          "devices",
          <DeviceView
            {...deviceView(now)}
            device={{ ...device, rolledBackVersion: "0.3.0" }}
            actions={actions}
          />,
        ),
      ),
    inShell(
      "console-device-loading",
      "devices",
      <DeviceView
        {...deviceView(now)}
        device={undefined}
        journal={undefined}
        outcomes={undefined}
        comfort={undefined}
        attempts={undefined}
        earned={undefined}
        actions={undefined}
        onMore={null}
      />,
    ),
    ...devices
      .slice(6, 7)
      .map((device) =>
        inShell(
          "console-device-new",
          "devices",
          <DeviceView
            {...deviceView(now)}
            device={{ ...device, models: [], capabilities: null }}
            journal={[]}
            outcomes={{ of: 0, succeeded: 0, failed: 0, lost: 0, released: 0, other: 0 }}
            comfort={[]}
            attempts={[]}
            earned={[]}
            actions={undefined}
            onMore={null}
          />,
        ),
      ),
    inShell(
      "console-devices-pending",
      "devices",
      <>
        <PendingDevices devices={deviceRows.pendingDevices(now)} onApprove={nothing} onRefuse={nothing} />
        <Card flush>
          <DevicesTable devices={linesOf(devices)} actions={actions} />
        </Card>
      </>,
    ),
    inShell("console-policy", "policy", <PolicyView {...policyView(now)} />),
    inShell("console-policy-read", "policy", <PolicyView {...policyView(now)} mayChange={false} />),
    inShell(
      "console-policy-edited",
      "policy",
      <PolicyView
        {...policyView(now)}
        draft={{
          values: {
            ...policyRules.values,
            batteryFloorPercent: 180,
            inUse: limitedInUse,
            schedule: [atNight],
          },
          locked: ["idleAfterSeconds", "schedule"],
        }}
        error="Somebody else changed the rules. Look at their changes and try again."
      />,
    ),
    inShell(
      "console-models",
      "models",
      <div className="grid gap-4">
        <ModelsView
          {...modelsView}
          models={rows.catalog(now)}
          opened="qwen3-4b-instruct-q4"
          devicesOf={(model) => <ModelDevicesView model={model} devices={rows.modelDevices(now)} />}
        />
        <AliasesView
          aliases={rows.aliases(now)}
          retired={["gemma-3-12b"]}
          changes={{ onAdd: nothing, onSetDefault: nothing, onChange: nothing, onRemove: nothing }}
        />
      </div>,
    ),
    inShell(
      "console-alias-change",
      "models",
      <AliasDialog
        changed={rows.aliases(now)[1] ?? null}
        newName={null}
        models={["gleaner-demo", "qwen3-4b-instruct-q4"]}
        users={<AliasUsersView users={rows.aliasUsers(now)} />}
        onSave={() => Promise.resolve(false)}
        onClose={nothing}
      />,
    ),
    inShell("console-models-none", "models", <ModelsView {...modelsView} models={[]} />),
    inShell(
      "console-model-add",
      "models",
      <ModelDialog
        initial={emptyForm}
        isKnown={false}
        fromLink={() => (
          <LinkField
            initialLink="Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf"
            isReading={false}
            outcome={rows.fileFacts}
            seesDevices
            onInspect={nothing}
          />
        )}
        onSave={() => Promise.resolve(false)}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-model-add-file",
      "models",
      <ModelDialog
        initial={emptyForm}
        isKnown={false}
        initialFrom="file"
        onSave={() => Promise.resolve(false)}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-model-retire",
      "models",
      <RetireModelView
        modelId="qwen3-4b-instruct-q4"
        isRollingOut
        impact={rows.retirementImpact}
        onRetire={nothing}
        onClose={nothing}
      />,
    ),
    inShell("console-jobs", "jobs", <JobsView {...jobsView} jobs={jobs} onMore={nothing} />),
    inShell(
      "console-jobs-selected",
      "jobs",
      <JobsView {...jobsView} jobs={jobs} initialIds={jobs.slice(0, 4).map(({ jobId }) => jobId)} />,
    ),
    inShell("console-jobs-loading", "jobs", <JobsView {...jobsView} jobs={undefined} />),
    inShell(
      "console-jobs-filtered-none",
      "jobs",
      <JobsView {...jobsView} filters={{ ...jobFilters, model: ["gone", nothing] }} jobs={[]} />,
    ),
    inShell(
      "console-job",
      "jobs",
      <JobDetails
        job={jobRows.jobDetail(now)}
        changes={jobChanges}
        onReceipt={nothing}
        payload={<JobPayload {...payload} isAllowed seen={{ request: letter, answer: letter }} />}
      />,
    ),
    inShell(
      "console-job-waiting",
      "jobs",
      <JobDetails
        job={jobRows.jobDetail(now, {
          status: "ready",
          wait: { kind: "no-model" },
          attempts: [],
          startedAt: null,
          finishedAt: null,
          usage: null,
          energy: null,
          receipt: false,
          priceMicro: null,
          payload: "not-allowed",
        })}
        changes={jobChanges}
        onReceipt={nothing}
        payload={<JobPayload {...payload} isAllowed={false} seen={null} />}
      />,
    ),
    inShell(
      "console-job-handed-over",
      "jobs",
      <JobDetails
        job={jobRows.jobDetail(now, { attempts: jobRows.handedOver(now) })}
        changes={null}
        onReceipt={nothing}
        payload={<JobPayload {...payload} isAllowed={false} seen={null} />}
      />,
    ),
    inShell(
      "console-job-found-wrong",
      "jobs",
      <JobDetails
        job={jobRows.jobDetail(now, {
          foundWrong: { at: now - 3_600_000, correctedBy: "jd7a41c09b6e5f238d1a" },
          corrects: "jd70b8f2e94c6a135d07",
        })}
        changes={null}
        onReceipt={nothing}
        payload={<JobPayload {...payload} isAllowed={false} seen={null} />}
      />,
    ),
    inShell(
      "console-job-failed",
      "jobs",
      <JobDetails
        job={jobRows.jobDetail(now, {
          status: "failed",
          error: {
            code: "context_length_exceeded",
            message:
              "This model's context holds 512 tokens. The input takes 9120 and leaves no room for an answer.",
          },
          attempts: jobRows.jobDetail(now).attempts.slice(0, 1),
          usage: null,
          energy: null,
          receipt: false,
          priceMicro: null,
          keyId: null,
          cost: null,
        })}
        changes={null}
        onReceipt={nothing}
        payload={
          <JobPayload {...payload} isAllowed seen={{ request: null, answer: null }} ownersMayLook={null} />
        }
      />,
    ),
    inShell(
      "console-policy-restore",
      "policy",
      <ReviewRules
        title="Restore version 3?"
        action="Restore"
        changes={["Idle after: 5 minutes, locked → not set", "On battery: not set → not allowed, locked"]}
        preview={{ view: null, error: null }}
        onConfirm={nothing}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-policy-save",
      "policy",
      <ReviewRules
        title="Save the rules for all devices?"
        action="Save"
        changes={["Idle after: 5 minutes, locked → 15 minutes, locked", "On battery: not set → yes"]}
        preview={{ view: rows.rulesPreview, error: null }}
        onConfirm={nothing}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-job-loading",
      "jobs",
      <JobDetails job={undefined} changes={null} onReceipt={nothing} payload={null} />,
    ),
    inShell(
      "console-dead-letters",
      "jobs",
      <JobsView {...jobsView} jobs={jobRows.deadLetters(now)} filters={deadFilters} />,
    ),
    inShell("console-dead-letters-none", "jobs", <JobsView {...jobsView} jobs={[]} filters={deadFilters} />),
    inShell(
      "console-queue",
      "queue",
      <QueueView
        stats={jobRows.queue(now)}
        onState={nothing}
        charts={<QueueChartsView {...queueCharts} report={statistics(now)} until={now} depth={null} />}
        limits={<QueueSettings {...queueLimits} before={noOwnSettings} />}
      />,
    ),
    inShell(
      "console-queue-loading",
      "queue",
      <QueueView
        stats={undefined}
        onState={nothing}
        charts={<QueueChartsView {...queueCharts} report={undefined} until={now} depth={null} />}
        limits={null}
      />,
    ),
    inShell(
      "console-queue-empty",
      "queue",
      <QueueView stats={noQueue} onState={nothing} charts={null} limits={null} />,
    ),
    inShell("console-queue-limits", "queue", <QueueSettings {...queueLimits} initiallyOpen />),
    inShell(
      "console-queue-limits-review",
      "queue",
      <QueueSettings
        {...queueLimits}
        draft={{ maxQueued: 500, maxQueuedPerRequester: 200, maxCallWaitMs: null, maxWaitMs: 3_600_000 }}
        reaches={{
          maxQueued: { beyond: 2, over: { count: 812, exact: false } },
          maxQueuedPerRequester: noneBeyond,
          maxCallWaitMs: noneBeyond,
          maxWaitMs: { ...noneBeyond, beyond: 1 },
        }}
        initiallyOpen
      />,
    ),
    inShell(
      "console-statistics",
      "statistics",
      <StatisticsView {...statisticsView} report={statistics(now)} until={now} />,
    ),
    inShell(
      "console-statistics-loading",
      "statistics",
      <StatisticsView {...statisticsView} report={undefined} until={now} />,
    ),
    inShell(
      "console-statistics-none",
      "statistics",
      <StatisticsView
        {...statisticsView}
        report={{ pointMs: 3_600_000, points: [], subjects: [] }}
        until={now}
      />,
    ),
    inShell(
      "console-device-groups",
      "devices",
      <>
        <Card flush>
          <DevicesTable devices={linesOf(devices)} actions={actions} />
        </Card>
        {devices.slice(2, 3).map((device) => (
          <DeviceLabels key={device.deviceId} device={device} onSave={nothing} onClose={nothing} />
        ))}
      </>,
    ),
    inShell(
      "console-device-limits",
      "devices",
      <>
        <Card flush>
          <DevicesTable devices={linesOf(devices)} actions={actions} />
        </Card>
        {devices.slice(2, 3).map((device) => (
          <DeviceLimits
            key={device.deviceId}
            device={device}
            modelIds={["gleaner-demo", "qwen3-4b-instruct-q4"]}
            onSave={nothing}
            onClose={nothing}
          />
        ))}
      </>,
    ),
    inShell(
      "console-key-limits",
      "keys",
      <>
        <KeysView {...keysView} keys={rows.keys(now)} />
        {rows
          .keys(now)
          .slice(1, 2)
          .map((key) => (
            <KeyLimits key={key.keyId} limited={key} onSave={nothing} onClose={nothing} />
          ))}
      </>,
    ),
    inShell(
      "console-key-rights",
      "keys",
      <>
        <KeysView {...keysView} keys={rows.keys(now)} />
        {rows
          .keys(now)
          .slice(1, 2)
          .map((key) => (
            <KeyRights key={key.keyId} limited={key} onSave={nothing} onClose={nothing} />
          ))}
      </>,
    ),
    inShell(
      "console-key-access",
      "keys",
      <>
        <KeysView {...keysView} keys={rows.keys(now)} />
        {rows
          .keys(now)
          .slice(2, 3)
          .map((key) => (
            <KeyAccess
              key={key.keyId}
              limited={key}
              models={["qwen3-4b", "gemma-3-12b"]}
              onSave={() => Promise.resolve(true)}
              onClose={nothing}
            />
          ))}
      </>,
    ),
    inShell(
      "console-key-rotate",
      "keys",
      rows
        .keys(now)
        .slice(0, 1)
        .map((key) => (
          <RotateKey
            key={key.keyId}
            rotated={key}
            server={{ apiBase: "", ownCertificate: false }}
            model=""
            onRotate={() => Promise.resolve(null)}
            onClose={nothing}
          />
        )),
    ),
    inShell("console-priority-prices", "models", <PriorityPrices {...priorityPrices} initiallyOpen />),
    inShell(
      "console-priority-prices-review",
      "models",
      <PriorityPrices
        {...priorityPrices}
        draft={{ low: 25, normal: 100, high: 250 }}
        unfinished={{ count: 42, exact: true }}
        initiallyOpen
      />,
    ),
    inShell(
      "console-jobs-none",
      "jobs",
      <JobsView {...jobsView} jobs={[]} filters={{ ...jobFilters, status: "failed" }} />,
    ),
    inShell("console-keys-loading", "keys", <KeysView {...keysView} keys={undefined} />),
    inShell("console-keys-none", "keys", <KeysView {...keysView} keys={[]} />),
    inShell(
      "console-new-key",
      "keys",
      <NewKey
        server={{ apiBase: "", ownCertificate: false }}
        model=""
        models={["qwen3-4b", "gemma-3-12b"]}
        onCreate={() => Promise.resolve(null)}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-keys",
      "keys",
      <KeysView {...keysView} keys={rows.keys(now)} pages={<PageOrigins {...pageOrigins} />} />,
    ),
    inShell("console-page-origins", "keys", <PageOrigins {...pageOrigins} initiallyOpen />),
    inShell(
      "console-key-made",
      "keys",
      <>
        <KeysView {...keysView} keys={rows.keys(now)} />
        <Dialog title="Key for Nightly summaries" onClose={nothing}>
          <KeyMade
            secret={`sk-gleaner-${"Zk3d9aPq".repeat(5)}abc`}
            server={{ apiBase: "http://127.0.0.1:3211", ownCertificate: false }}
            model="gleaner-demo"
            onDone={nothing}
          />
        </Dialog>
      </>,
    ),
    inShell(
      "console-key-made-own-certificate",
      "keys",
      <>
        <KeysView {...keysView} keys={rows.keys(now)} />
        <Dialog title="Key for Nightly summaries" onClose={nothing}>
          <KeyMade
            secret={`sk-gleaner-${"Zk3d9aPq".repeat(5)}abc`}
            server={{ apiBase: "https://192.0.2.7:3211", ownCertificate: true }}
            model="gleaner-demo"
            onDone={nothing}
          />
        </Dialog>
      </>,
    ),
    inShell(
      "console-codes",
      "codes",
      <CodesView codes={deviceRows.codes(now)} onCreate={nothing} onOpen={nothing} onRevoke={nothing} />,
    ),
    inShell(
      "console-new-code",
      "codes",
      <>
        <CodesView codes={deviceRows.codes(now)} onCreate={nothing} onOpen={nothing} onRevoke={nothing} />
        <NewCode
          page="https://192.0.2.7:3211/console/"
          address={joinAddress}
          ownerPicker={(value, onChange) => (
            <OwnerSelect
              label="Its devices belong to"
              nobody="The organization"
              value={value}
              owners={owners}
              onChange={onChange}
            />
          )}
          onCreate={() => Promise.resolve("GLN-7K2M-9QXD-4WHT")}
          onClose={nothing}
        />
      </>,
    ),
    inShell(
      "console-code-made",
      "codes",
      <>
        <CodesView codes={deviceRows.codes(now)} onCreate={nothing} onOpen={nothing} onRevoke={nothing} />
        <Dialog title="Code for Design team" onClose={nothing}>
          <CodeMade
            code="GLN-7K2M-9QXD-4WHT"
            address={joinAddress}
            page="https://192.0.2.7:3211/console/"
            onDone={nothing}
          />
        </Dialog>
      </>,
    ),
    inShell(
      "console-codes-none",
      "codes",
      <CodesView codes={[]} onCreate={nothing} onOpen={nothing} onRevoke={nothing} />,
    ),
    inShell("console-audit-none", "audit", <AuditView rows={[]} {...auditProps} onMore={null} />),
    inShell(
      "console-devices-none",
      "devices",
      <Card flush>
        <DevicesTable devices={[]} actions={actions} />
      </Card>,
    ),
    inShell(
      "console-confirm",
      "devices",
      <Confirm title="Retire Old lab machine?" action="Retire" danger onConfirm={nothing} onClose={nothing}>
        It gets no more jobs. You can reinstate it at any time.
      </Confirm>,
    ),
    inShell(
      "console-page-error",
      "jobs",
      <PageErrors place="" onExpired={nothing}>
        <Broken />
      </PageErrors>,
    ),
    page("console-connecting", <FullPage title="Connecting…" />),
    inShell("console-audit", "audit", <AuditView rows={rows.audit(now)} {...auditProps} onMore={null} />),
    page(
      "console-join",
      <JoinPage invitation={{ code: "GLN-7K2M-9QXD-4WHT", pin: joinAddress.pin }} url={joinAddress.url} />,
    ),
    page("console-signed-out", <SignedOut reason="new" />),
    page("console-session-ended", <SignedOut reason="expired" />),
    page("console-signed-out-here", <SignedOut reason="signed-out" />),
    page("console-link-used", <SignedOut reason={{ refused: refusalWords.used }} />),
    page("console-link-expired", <SignedOut reason={{ refused: refusalWords.expired }} />),
    page("console-link-unknown", <SignedOut reason={{ refused: refusalWords["unknown-link"] }} />),
    page(
      "console-unreachable",
      <Unreachable
        message="The server of this page cannot be reached, or it does not run Gleaner."
        onRetry={nothing}
      />,
    ),
  ];
}

function Broken(): never {
  throw new Error("this page always fails");
}

const emptySummary = {
  ...rows.summary,
  succeeded: 0,
  failed: 0,
  devicesOnline: 0,
  devicesDonating: 0,
  money: { ledgerSum: 0n, spentMicro: 0n, earnedMicro: 0n },
};

const none = { count: 0, exact: true };
const noQueue = {
  ready: none,
  waiting: none,
  running: none,
  workers: { online: 0, accepting: 0 },
  lanes: [],
};
