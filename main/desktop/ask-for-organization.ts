import { app } from "electron";
import { done, refusedFor } from "../../app/contract/donor-calls.ts";
import type { Departure } from "../../app/contract/leaving.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import { type AnswerCall, answerCalls } from "../face/answer-call.ts";
import { type Agreed, firstRun } from "../first-run/first-run.ts";
import type { Arguments } from "../headless/arguments.ts";
import type { Log } from "../log.ts";
import { type PanelOrigin, setupAddress } from "../window/panel-address.ts";
import type { PanelWindow } from "../window/panel-window.ts";
import type { AppLinks } from "./app-links.ts";
import { openPage } from "./open-page.ts";

type Asked = {
  readonly options: Pick<Arguments, "name">;
  readonly version: string;
  /** The program was started without a window, for example at login. */
  readonly hidden: boolean;
  readonly panel: PanelOrigin;
  readonly window: PanelWindow;
  readonly serveCalls: (answer: AnswerCall) => void;
  readonly links: AppLinks;
  /** This computer has just left an organization. */
  readonly departure: Departure | null;
  readonly managed: ManagedSettings;
  readonly log: Log;
};

/**
 * Opens the window on the page of the first start, and resolves when the person has agreed to join an organization. Closing the
 * window ends the program: there is no tray yet.
 */
export async function askForOrganization(asked: Asked): Promise<Agreed> {
  const { options, version, hidden, panel, window, serveCalls, links, departure, managed, log } = asked;
  const address = setupAddress(panel.address);
  const opened = links.takeWaiting();
  let link = opened?.link ?? null;
  const agreed = Promise.withResolvers<Agreed>();
  const handlers = firstRun({
    setup: () => ({
      version,
      device: options.name,
      server: managed.server ?? null,
      link,
      member: null,
      departure,
    }),
    onAgreed: (to) => {
      agreed.resolve(to);
      return done;
    },
    onStay: () => refusedFor("not-yet-there"),
    openPage,
    onConfirmed: window.show,
    managed,
    log,
  });
  links.listen((given) => {
    if (given !== null) {
      link = given;
      window.goTo(address);
    }
    window.show();
  });
  const onAllClosed = (): void => app.exit(0);
  app.on("window-all-closed", onAllClosed);
  serveCalls(answerCalls("setup", handlers, log));
  window.goTo(address);
  // Nobody asked for a window.
  if (hidden && opened === null) app.exit(0);
  window.show();
  const organization = await agreed.promise;
  links.listen(null);
  app.off("window-all-closed", onAllClosed);
  return organization;
}
