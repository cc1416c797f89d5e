import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useContext, useState } from "react";
import { storedId } from "../../../app/batches/openai-objects.ts";
import { laneName } from "../../../app/format/lane.ts";
import { scopeOf } from "../../../app/people/rights.ts";
import { api } from "../../../convex/_generated/api.js";
import { CommandPalette } from "../../ui/overlays/CommandPalette.tsx";
import { laneStateWords } from "../data/lane-words.ts";
import { useAct, useMe, useScope, useSession } from "../data/session-context.ts";
import { jobWords } from "../jobs/job-words.ts";
import { closingFilter } from "../queue/LanesTable.tsx";
import type { VisiblePage } from "../shell/pages.ts";
import { places } from "../shell/places.ts";
import { hrefOf } from "../shell/route.ts";
import { type Action, actions } from "./actions.ts";
import { type Command, matchesOf } from "./match.ts";
import { Commands } from "./page-commands.ts";
import type { Place, RecentPlace } from "./recent-places.ts";
import { useSettled } from "./use-settled.ts";

type Props = {
  /** The pages that the member may see. */
  readonly pages: readonly VisiblePage[];
  readonly recent: readonly RecentPlace[];
  /** Called with a place whose address does not tell its name. */
  readonly onPlace: (place: Place) => void;
  readonly onShortcuts: () => void;
  readonly onClose: () => void;
};

/** The command palette with everything that the member may see and do. It asks the server only while it is open. */
export function Palette({ pages, recent, onPlace, onShortcuts, onClose }: Props): ReactNode {
  const [query, setQuery] = useState("");
  const ofPage = useContext(Commands)?.all() ?? [];
  const hasQuery = query.trim() !== "";
  const shows = (title: string, commands: readonly Command[]) => ({
    title,
    entries: matchesOf(commands, query),
  });
  const devices = useDeviceCommands(query, onPlace);
  const jobs = useJobCommands(query);
  const batches = useBatchCommands(query);
  const lanes = useLaneCommands();
  const views = useViewCommands();
  const newThings = useActionCommands();
  const help: Command = { id: "shortcuts", title: "Keyboard shortcuts", hint: "?", run: onShortcuts };
  return (
    <CommandPalette
      query={query}
      onQuery={setQuery}
      groups={[
        shows(
          "Recent",
          hasQuery ? [] : recent.map(({ href, title }) => ({ id: `recent ${href}`, title, run: to(href) })),
        ),
        shows("On this page", ofPage),
        shows("Pages", pages.map(pageCommand)),
        shows("Actions", [...newThings, ...(hasQuery ? lanes : []), help]),
        shows("Views of the devices", hasQuery ? views : []),
        shows("Devices", hasQuery ? devices : []),
        shows("Jobs", hasQuery ? jobs : []),
        shows("Batches", batches),
      ]}
      onRun={(command) => {
        // The closed palette returns the focus, and then a new page takes it.
        onClose();
        command.run();
      }}
      onClose={onClose}
    />
  );
}

function to(href: string): () => void {
  return () => {
    window.location.hash = href;
  };
}

function pageCommand({ id, label }: VisiblePage): Command {
  return { id: `page ${id}`, title: label, hint: `g ${places[id].key}`, run: to(hrefOf(id)) };
}

function useActionCommands(): readonly Command[] {
  const { roles } = useMe();
  const allowed: readonly Action[] = actions.filter(({ right }) => scopeOf(right, roles) !== null);
  return allowed.map(({ id, title, page }) => ({
    id,
    title,
    run: to(hrefOf(page, undefined, { open: id })),
  }));
}

const mostDevices = 8;
/** As long as the field of the devices page allows. */
const longestSearch = 120;
const typingPauseMs = 150;

function useDeviceCommands(query: string, onPlace: Props["onPlace"]): readonly Command[] {
  const session = useSession();
  const mayRead = useScope("devices.read") !== null;
  // Not every letter asks the server.
  const search = useSettled(query.trim().slice(0, longestSearch), typingPauseMs);
  const found = usePaginatedQuery(
    api.console.devices.list,
    mayRead && search !== "" ? { session, search } : "skip",
    { initialNumItems: mostDevices },
  );
  return found.results.slice(0, mostDevices).map(({ deviceId, name }) => ({
    id: `device ${deviceId}`,
    title: name,
    hint: "Device",
    run: () => {
      const href = hrefOf("devices", deviceId);
      onPlace({ href, name });
      to(href)();
    },
  }));
}

function useViewCommands(): readonly Command[] {
  const session = useSession();
  const seesAll = useScope("devices.read") === "all";
  const views = useQuery(api.console.fleet.views.list, seesAll ? { session } : "skip");
  return (views ?? []).map(({ viewId, name, view }) => ({
    id: `view ${viewId}`,
    title: name,
    hint: "View",
    run: to(hrefOf("devices", undefined, view)),
  }));
}

/** As many of the newest jobs as the jobs page shows first. */
const newestJobs = 25;
/** Shorter text is no whole id of a job. */
const shortestId = 16;

function useJobCommands(query: string): readonly Command[] {
  const session = useSession();
  const mayRead = useScope("jobs.read") !== null;
  const { results } = usePaginatedQuery(api.console.jobs.list, mayRead ? { session } : "skip", {
    initialNumItems: newestJobs,
  });
  const commands = results.map(({ jobId, model, status }) =>
    jobCommand(jobId, jobWords[status].words, model),
  );
  const typed = query.trim();
  const isKnown = results.some(({ jobId }) => jobId === typed);
  // An older job is not in the list, but its page can be opened.
  const isId =
    mayRead && !isBatch(typed) && typed.length >= shortestId && /^[\w:.-]+$/.test(typed) && !isKnown;
  return isId ? [...commands, jobCommand(typed, "Open this id", "")] : commands;
}

const isBatch = (typed: string): boolean => storedId("batch", typed) !== "";

/** A whole id of a batch, as the API shows it, opens the batch's page. */
function useBatchCommands(query: string): readonly Command[] {
  const mayRead = useScope("jobs.read") !== null;
  const typed = query.trim();
  if (!mayRead || !isBatch(typed)) return [];
  return [
    {
      id: `batch ${typed}`,
      title: typed,
      hint: "Open this batch",
      run: to(hrefOf("batches", storedId("batch", typed))),
    },
  ];
}

function jobCommand(jobId: string, hint: string, model: string): Command {
  const title = model === "" ? jobId : `${jobId} ${model}`;
  return { id: `job ${jobId}`, title, hint, run: to(hrefOf("jobs", jobId)) };
}

function useLaneCommands(): readonly Command[] {
  const session = useSession();
  const mayChange = useScope("queue.change") !== null;
  const stats = useQuery(api.console.queue.stats, mayChange ? { session } : "skip");
  const setState = useAct(api.console.queue.setLaneState);
  return (stats?.lanes ?? []).map((lane) => {
    const isOpen = lane.state === "open";
    return {
      id: `lane ${lane.laneId}`,
      title: `${isOpen ? "Pause" : "Open"} the lane ${laneName(lane)}`,
      // The queue page asks, and tells what a pause will change.
      run: isOpen
        ? to(hrefOf("queue", undefined, { open: closingFilter(lane.laneId, "paused") }))
        : () => void setState({ laneId: lane.laneId, state: "open" }, laneStateWords.open.done),
    };
  });
}
