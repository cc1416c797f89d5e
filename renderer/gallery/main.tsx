import "../ui/tokens.css";
import "./fonts.ts";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { FixedNow } from "../ui/clock.ts";
import { ToastProvider } from "../ui/overlays/Toast.tsx";
import { TooltipProvider } from "../ui/overlays/Tooltip.tsx";
import { archiveStories } from "./archive-stories.tsx";
import { batchStories } from "./batch-stories.tsx";
import { componentStories } from "./component-stories.tsx";
import { consoleEdgeStories } from "./console-edge-stories.tsx";
import { consoleStories } from "./console-stories.tsx";
import { creditStories } from "./credit-stories.tsx";
import { firstRunStories } from "./first-run-stories.tsx";
import { GalleryIndex } from "./GalleryIndex.tsx";
import { panelStories } from "./panel-stories.tsx";
import { peopleStories } from "./people-stories.tsx";
import { playgroundStories } from "./playground-stories.tsx";
import { ratingStories } from "./rating-stories.tsx";
import { rolloutStories } from "./rollout-stories.tsx";
import { signInStories } from "./sign-in-stories.tsx";
import { usageStories } from "./usage-stories.tsx";

const element = document.getElementById("root");
if (element === null) throw new Error("the page has no #root");
const root = createRoot(element);

// A fixed moment, so that two pictures of a story differ only if its looks do.
const now = Date.UTC(2026, 4, 12, 12, 30);
const stories = [
  ...componentStories(now),
  ...panelStories(now),
  ...firstRunStories(),
  ...consoleStories(now),
  ...batchStories(now),
  ...consoleEdgeStories(now),
  ...peopleStories(now),
  ...playgroundStories(),
  ...signInStories(now),
  ...usageStories(now),
  ...creditStories(now),
  ...ratingStories(now),
  ...rolloutStories(now),
  ...archiveStories(now),
];

/** Shows the story that the address names, or all. */
function show(): void {
  const query = new URLSearchParams(window.location.search);
  const theme = query.get("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  const story = stories.find(({ id }) => id === query.get("story"));
  root.render(
    story === undefined ? (
      <GalleryIndex stories={stories} />
    ) : (
      <FixedNow key={window.location.search} value={now}>
        <TooltipProvider>
          <ToastProvider>{story.content}</ToastProvider>
        </TooltipProvider>
      </FixedNow>
    ),
  );
}

window.addEventListener("popstate", () => flushSync(show));
show();
