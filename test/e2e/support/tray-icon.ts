import { join } from "node:path";
import type { ElectronApplication } from "@playwright/test";
import * as z from "zod";
import type { TrayIcon } from "../../../bench/desktop/tray-host.ts";

/** An entry of the menu that a person can click. */
type Item = {
  readonly id: number;
  readonly label: string;
  /** The submenu that has it. Null: the menu itself. */
  readonly within: { readonly id: number; readonly label: string } | null;
};

export type Menu = {
  /** The entries that only say something. */
  readonly texts: readonly string[];
  readonly items: readonly Item[];
};

/** A menu that changes more often than this is a fault. */
const mostTries = 3;

/** A tray icon of StatusNotifierItem, read and clicked as a desktop does. */
export class DesktopIcon {
  readonly #icon: TrayIcon;
  readonly #shapes: Shapes;
  readonly #log: ClickLog;

  constructor(icon: TrayIcon, shapes: Shapes, log: ClickLog) {
    this.#icon = icon;
    this.#shapes = shapes;
    this.#log = log;
  }

  async tooltip(): Promise<string> {
    const [, , title] = toolTip.parse(await this.#property("ToolTip"));
    return title;
  }

  /** The state whose image has the shape that the desktop gets; "" for another image. Colors do not count. */
  async state(): Promise<string> {
    const [[, , pixels]] = pixmaps.parse(await this.#property("IconPixmap"));
    const shape = everyFourth(pixels, 0);
    return Object.entries(this.#shapes).find(([, known]) => known.equals(shape))?.[0] ?? "";
  }

  async menu(): Promise<Menu> {
    const answer = await this.#callMenu("GetLayout", "iias", [0, -1, []]);
    const [, root] = layout.parse(answer);
    const all = entriesOf(root, null);
    const items = all.filter(({ isText }) => !isText);
    for (const { label } of items) this.#log.seen.add(label);
    return { texts: all.filter(({ isText }) => isText).map(({ label }) => label), items };
  }

  async labels(): Promise<readonly string[]> {
    return (await this.menu()).items.map(({ label }) => label);
  }

  /** Clicks an entry. The program may change its menu meanwhile; a desktop then shows the new one. */
  async click(label: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const item = await this.#entry(label);
      try {
        await this.#clickItem(item);
        this.#log.clicked.add(label);
        return;
      } catch (error) {
        if (tries === mostTries || !String(error).includes("error occurred in")) throw error;
      }
    }
  }

  async #entry(label: string): Promise<Item> {
    const { items } = await this.menu();
    const item = items.find((each) => each.label === label);
    if (item !== undefined) return item;
    throw new Error(`The menu has no "${label}", only ${items.map((each) => each.label).join(", ")}.`);
  }

  /** A desktop opens the submenu first. */
  async #clickItem({ id, within }: Item): Promise<void> {
    if (within !== null) await this.#callMenu("AboutToShow", "i", [within.id]);
    await this.#callMenu("Event", "isvu", [id, "clicked", ["i", 0], 0]);
  }

  /** Clicks the icon itself. */
  async activate(): Promise<void> {
    await this.#icon.activate();
  }

  #property(name: string): Promise<unknown> {
    const { path, call } = this.#icon;
    const method = { path, interface: "org.freedesktop.DBus.Properties", member: "Get" };
    return call(method, "ss", ["org.kde.StatusNotifierItem", name]);
  }

  async #callMenu(member: string, signature: string, body: readonly unknown[]): Promise<unknown> {
    const path = z.string().parse(await this.#property("Menu"));
    return await this.#icon.call({ path, interface: "com.canonical.dbusmenu", member }, signature, body);
  }
}

/** The labels that any menu showed, and those that were clicked. */
export class ClickLog {
  readonly seen = new Set<string>();
  readonly clicked = new Set<string>();

  /** The entries of the menus that nobody clicked. */
  left(): readonly string[] {
    return [...this.seen].filter((label) => !this.clicked.has(label));
  }
}

/** The opaque pixels of each state's image. */
type Shapes = Readonly<Record<string, Buffer>>;

/** Reads the images of the tray's states as Electron does. */
export async function shapesOf(
  app: ElectronApplication,
  folder: string,
  states: readonly string[],
): Promise<Shapes> {
  const shapes = states.map(async (state) => {
    const bytes = await app.evaluate(
      ({ nativeImage }, file) =>
        nativeImage.createFromPath(file).toBitmap({ scaleFactor: 2 }).toString("base64"),
      join(folder, `${state}.png`),
    );
    return [state, everyFourth(Buffer.from(bytes, "base64"), 3)] as const;
  });
  return Object.fromEntries(await Promise.all(shapes));
}

function everyFourth(bytes: Buffer, first: number): Buffer {
  return Buffer.from(bytes.filter((_, at) => at % 4 === first));
}

const toolTip = z.tuple([z.string(), z.unknown(), z.string(), z.string()]);
/** Images as ARGB bytes. */
const pixmaps = z.tuple([z.tuple([z.number(), z.number(), z.instanceof(Buffer)])]);

type Node = [number, Record<string, unknown>, Node[]];
const node: z.ZodType<Node> = z.lazy(() =>
  z.tuple([z.number(), z.record(z.string(), z.unknown()), z.array(node)]),
);
const layout = z.tuple([z.number(), node]);

type Entry = Item & { readonly isText: boolean };

function entriesOf([, , children]: Node, within: Item["within"]): readonly Entry[] {
  return children.flatMap((child): readonly Entry[] => {
    const [id, { label = "", type, enabled = true, "children-display": display }] = child;
    if (type === "separator") return [];
    const name = String(label);
    return display === "submenu"
      ? entriesOf(child, { id, label: name })
      : [{ id, label: name, within, isText: enabled === false }];
  });
}
