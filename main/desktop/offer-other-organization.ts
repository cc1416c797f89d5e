import { done, isCallOf } from "../../app/contract/donor-calls.ts";
import { mayLeave } from "../../app/contract/needs-you.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import type { Donor } from "../donor/donor.ts";
import { type AnswerCall, answerCalls } from "../face/answer-call.ts";
import { type Agreed, firstRun } from "../first-run/first-run.ts";
import type { Log } from "../log.ts";
import { type PanelOrigin, setupAddress } from "../window/panel-address.ts";
import type { PanelWindow } from "../window/panel-window.ts";
import { openPage } from "./open-page.ts";

type OfferDeps = {
  readonly donor: Pick<Donor, "handlers" | "snapshot">;
  readonly version: string;
  /** This computer's name. */
  readonly name: string;
  /** The address of the organization's server. */
  readonly server: string;
  readonly managed: ManagedSettings;
  readonly panel: PanelOrigin;
  readonly window: PanelWindow;
  /** The person agreed, and this computer has no organization to leave. */
  readonly onUnbound: () => void;
  readonly log: Log;
};

type Offer = {
  /** Shows the invitation of a link, and asks whether to leave the organization for it. */
  readonly show: (link: string) => void;
  /** Answers the calls of the panel and of that page. */
  readonly answer: AnswerCall;
  /** The organization that the person agreed to join instead. */
  readonly next: () => Agreed | null;
};

/** Lets a person follow an invitation to another organization. Without their consent nothing changes. */
export function offerOtherOrganization(deps: OfferDeps): Offer {
  const { donor, version, name, server, managed, panel, window, onUnbound, log } = deps;
  let link: string | null = null;
  let next: Agreed | null = null;
  const handlers = firstRun({
    setup: () => {
      const snapshot = donor.snapshot.get();
      const { organization, device } = snapshot;
      const member =
        organization === null || device === null
          ? null
          : {
              organization: organization.name,
              server: new URL(server).host,
              mayLeave: mayLeave(snapshot),
            };
      const facts = { version, device: name, server: managed.server ?? null };
      return { ...facts, link, member, departure: null };
    },
    onAgreed: async (to) => {
      next = to;
      if (donor.snapshot.get().device === null) {
        onUnbound();
        return done;
      }
      const reply = await donor.handlers.leave(null);
      if (reply.kind === "ok") return done;
      next = null;
      return reply;
    },
    onStay: () => {
      link = null;
      window.goTo(panel.address);
      return done;
    },
    openPage,
    onConfirmed: window.show,
    managed,
    log,
  });
  const onPanel = answerCalls("panel", donor.handlers, log);
  const onOffer = answerCalls("setup", handlers, log);
  return {
    show: (given) => {
      link = given;
      window.goTo(setupAddress(panel.address));
      window.show();
    },
    answer: (call, argument, gone) =>
      isCallOf("setup", call) ? onOffer(call, argument, gone) : onPanel(call, argument, gone),
    next: () => next,
  };
}
