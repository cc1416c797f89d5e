import type { ReactNode } from "react";
import { ShortcutSheet } from "../console/palette/ShortcutSheet.tsx";
import { Navigation } from "../console/shell/Navigation.tsx";
import { pages } from "../console/shell/pages.ts";
import { Badge } from "../ui/Badge.tsx";
import { Banner } from "../ui/Banner.tsx";
import { Card } from "../ui/Card.tsx";
import { Button } from "../ui/controls/Button.tsx";
import { Checkbox } from "../ui/controls/Checkbox.tsx";
import { CheckMenu } from "../ui/controls/CheckMenu.tsx";
import { Copyable } from "../ui/controls/Copyable.tsx";
import { Field } from "../ui/controls/Field.tsx";
import { Menu } from "../ui/controls/Menu.tsx";
import { Select } from "../ui/controls/Select.tsx";
import { Switch } from "../ui/controls/Switch.tsx";
import { Tabs } from "../ui/controls/Tabs.tsx";
import { Empty } from "../ui/Empty.tsx";
import { CommandPalette } from "../ui/overlays/CommandPalette.tsx";
import { Drawer } from "../ui/overlays/Drawer.tsx";
import { ToastNote } from "../ui/overlays/Toast.tsx";
import { Tooltip } from "../ui/overlays/Tooltip.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { Skeleton, SkeletonRows } from "../ui/Skeleton.tsx";
import { Stat } from "../ui/Stat.tsx";
import { Table } from "../ui/Table.tsx";
import type { Tone } from "../ui/tone.ts";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const tones: readonly Tone[] = ["good", "hold", "rest", "bad", "quiet"];
const looks = ["primary", "plain", "quiet", "danger"] as const;
const options = [
  { value: "1", label: "1 minute" },
  { value: "2", label: "2 minutes" },
];

const onPalette = { onQuery: nothing, onRun: nothing, onClose: nothing } as const;
const paletteGroups = [
  { title: "Pages", entries: [{ id: "devices", title: "Devices", hint: "g d" }] },
  { title: "Devices", entries: [{ id: "d1", title: "Ada's dev laptop", hint: "Device" }] },
];

export function componentStories(now: number): readonly Story[] {
  const open = (id: string, content: ReactNode): Story => ({
    id,
    group: "Components",
    size: [900, 600],
    content: <main className="min-h-screen">{content}</main>,
  });
  return [
    { id: "components", group: "Components", size: [900, 1180], content: <Components now={now} /> },
    open("palette", <CommandPalette query="dev" groups={paletteGroups} {...onPalette} />),
    open("palette-none", <CommandPalette query="nothing" groups={[]} {...onPalette} />),
    open(
      "shortcuts",
      <ShortcutSheet pages={pages} areSingleKeysOn onSingleKeys={nothing} onClose={nothing} />,
    ),
    open(
      "drawer",
      <Drawer label="Menu" onClose={nothing}>
        <Navigation page="devices" pages={pages} pending={2} onPreload={nothing} />
      </Drawer>,
    ),
  ];
}

function Components({ now }: { readonly now: number }): ReactNode {
  return (
    <div className="grid gap-4 p-5 md:grid-cols-2">
      <Card title="Buttons">
        <div className="grid gap-2">
          {(["md", "sm"] as const).map((size) => (
            <Row key={size}>
              {looks.map((look) => (
                <Button key={look} look={look} size={size}>
                  {look}
                </Button>
              ))}
              <Button size={size} disabled>
                off
              </Button>
            </Row>
          ))}
        </div>
      </Card>
      <Card title="Badges, menu, tooltip, time">
        <div className="grid gap-3">
          <Row>
            {tones.map((tone) => (
              <Badge key={tone} tone={tone} dot>
                {tone}
              </Badge>
            ))}
          </Row>
          <Row>
            <CheckMenu
              label="Columns"
              trigger={<Button>Columns ▾</Button>}
              choices={options}
              chosen={["1"]}
              onChoose={nothing}
              onReset={nothing}
            />
            <Menu
              label="Choices"
              trigger={<Button>Menu ▾</Button>}
              entries={[
                { label: "For 15 minutes", onSelect: nothing },
                { label: "Until I resume", onSelect: nothing },
              ]}
            />
            <Tooltip text="One sentence about it.">
              <Button look="quiet">Tooltip</Button>
            </Tooltip>
            <RelativeTime at={now - 75_000} />
            <RelativeTime at={now + 45_000} />
          </Row>
        </div>
      </Card>
      <Card title="Fields">
        <div className="grid gap-3">
          <Field label="Name" hint="The program that will use it." placeholder="Nightly summaries" />
          <Field label="Devices" unit="devices" defaultValue="many" error="Enter a number from 1 to 9,999." />
          <Select
            label="Idle after"
            hint="No input for this long."
            value="2"
            options={options}
            onChange={nothing}
          />
          <Row>
            <Switch label="On" checked onChange={nothing} />
            <Switch label="Off" checked={false} onChange={nothing} />
          </Row>
          <Checkbox label="Requester" hint="Has API keys." checked onChange={nothing} />
          <Checkbox label="Donor" checked={false} onChange={nothing} />
        </div>
      </Card>
      <Card title="Figures and copying">
        <div className="grid gap-3">
          <dl className="grid grid-cols-3 gap-3">
            <Stat label="Balance" value="48.213" />
            <Stat label="Today" value="1.20431" />
            <Stat label="Unknown" value="–" />
          </dl>
          <Copyable text="GLN-7K2M-9QXD-4WHT" label="the code" />
          <Copyable
            block
            text={'curl http://127.0.0.1:3210/v1/models \\\n  -H "Authorization: Bearer sk-…"'}
            label="it"
          />
        </div>
      </Card>
      <Card title="Tabs">
        <Tabs
          label="Example"
          value="a"
          onChange={nothing}
          tabs={[
            { value: "a", label: "Now", content: "What happens now." },
            { value: "b", label: "History", content: "What happened." },
          ]}
        />
      </Card>
      <Card title="Notes">
        <div className="grid gap-2">
          {(["good", "bad"] as const).map((tone) => (
            <ToastNote
              key={tone}
              note={{
                tone,
                text: tone === "good" ? "The key was revoked." : "Something went wrong.",
              }}
              onDismiss={nothing}
            />
          ))}
          {tones.map((tone) => (
            <Banner key={tone} tone={tone}>
              A line about the whole page, {tone}.
            </Banner>
          ))}
        </div>
      </Card>
      <Card flush title="Table">
        <Table
          label="Example"
          rows={[
            { name: "Ada's ThinkPad", earned: "48.213" },
            { name: "Alan's XPS", earned: "7.5" },
          ]}
          keyOf={(row) => row.name}
          columns={[
            { key: "name", title: "Device", cell: (row) => row.name },
            { key: "earned", title: "Earned", align: "right", cell: (row) => row.earned },
          ]}
        />
      </Card>
      <Card flush title="Empty and loading">
        <Empty title="No jobs yet" action={<Button look="primary">Create a key</Button>}>
          New jobs appear here.
        </Empty>
        <div className="px-4 pb-2">
          <Skeleton className="h-4 w-32" />
        </div>
        <SkeletonRows rows={3} />
      </Card>
    </div>
  );
}

function Row({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="flex flex-wrap items-center gap-2">{children}</div>;
}
